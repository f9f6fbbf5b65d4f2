import type { SentFor } from './sent-requests.ts'

/** The texts of what the pictures of a plan have in common. A step's own text, such as `MERGE 3 BY position`, is a language like SQL: the same in every language. */
export interface PictureWords {
  /** The heading of the parts that a page's RCU are made of. */
  readonly took: string
  /** What a part of a page reads. Lists have their number behind. */
  readonly parts: Readonly<Record<Exclude<SentFor, 'total'>, string>>
  readonly lists: (lists: string) => string
  readonly expected: (rcu: string) => string
  readonly all: string
  readonly millionPages: (dollars: string) => string
  readonly prices: (region: string, day: string) => string

  /** The heading of the requests by rounds. */
  readonly requests: string
  readonly round: (number: string) => string
  /** What a round is, where the word is first used. */
  readonly roundMeans: string
  readonly together: (requests: string, milliseconds: string) => string
  /** What is read for all requests of a process. */
  readonly forAll: string
  readonly elsewhere: (requests: string) => string
  readonly notWaitedFor: string
  readonly refused: string
  readonly bar: (from: string, milliseconds: string) => string
  readonly command: string
  readonly copy: string
  readonly copied: string
  readonly copyRefused: string
  readonly endpoint: string

  readonly readAhead: string
  readonly filteredOut: string
  readonly position: string
}

export const PICTURE_IN_ENGLISH: PictureWords = {
  took: 'What it took',
  parts: {
    ...{ list: 'List', columns: 'Columns', counts: 'Counts', pageIndex: 'Page index', written: 'Just written' },
    ...{ slice: 'Given up', register: 'Registers', item: 'Item' },
  },
  lists: (lists) => `${lists} lists`,
  expected: (rcu) => `${rcu} expected`,
  all: 'All',
  millionPages: (dollars) => `A million pages like this one cost ${dollars}`,
  prices: (region, day) => `on demand in ${region}, list price of ${day}`,

  requests: 'Requests, as they were sent',
  round: (number) => `Round ${number}`,
  roundMeans: 'Requests of one round are sent together. The next round waits for their answers.',
  together: (requests, milliseconds) => `${requests}, ${milliseconds} ms`,
  forAll:
    'For all pages: which indexes are complete. The process reads that at most every five seconds, and no page’s plan has it.',
  elsewhere: (requests) => `${requests} more: sent for several pages at once, and noted with the one that sent it.`,
  notWaitedFor: 'not waited for',
  refused: 'refused',
  bar: (from, milliseconds) => `sent after ${from} ms, answered within ${milliseconds} ms`,
  command: 'As a command of the AWS CLI',
  copy: 'Copy',
  copied: 'Copied',
  copyRefused: 'Copying was refused',
  endpoint: 'It asks the same again, for the same capacity. For a database that is not on AWS, add --endpoint-url.',

  readAhead: 'read ahead',
  filteredOut: 'filtered out',
  position: 'position: what the list is ordered by, then the id, so that no two places are equal',
}
