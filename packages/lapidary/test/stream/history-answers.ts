import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary } from '../../src/index.ts'
import { decimalOf, unitsOf } from '../decimal-units.ts'
import { type AskedBoard, type AskedNumber, type AskedPage, askAll } from './history-questions.ts'
import { historyReviews } from './history-reviews.ts'
import type { Review } from './reviews.ts'
import { PRODUCTS, type Workload } from './workload.ts'

/** Asks a process that has just begun, and compares the answers with what the reviews were, or are. */
export interface HistoryAnswers {
  /** Tells what is wrong while all is under way: what is known adds up what each review was at some time. */
  problem(): Promise<string | undefined>
  /** Tells what is wrong once all is quiet: everything is known, and is what the reviews are. */
  problemAtRest(): Promise<string | undefined>
}

export interface HistoryAnswersOptions {
  readonly client: DynamoDBClient
  readonly tableName: string
  readonly clock: () => number
  readonly versions: Workload['versions']
}

export function historyAnswers({ client, tableName, clock, versions }: HistoryAnswersOptions): HistoryAnswers {
  const ask = () =>
    askAll(
      createLapidary({
        ...{ client, tableName, clock, collections: { reviews: historyReviews } },
        ...{ cursorSecret: 'a secret of the tests', derived: { counts: true, columns: true } },
      }).reviews,
    )
  return {
    async problem() {
      const { numbers, pages } = await ask()
      return told([
        ...numbers.flatMap((number) => beyond(number, versions)),
        ...pages.flatMap((page) => neverThere(page, versions)),
      ])
    },
    async problemAtRest() {
      const { numbers, pages, boards, unknown } = await ask()
      if (unknown.length > 0) return `derived answers are not known: ${unknown.join(', ')}`
      const reviews = [...versions.values()].flatMap((each) => each.at(-1) ?? [])
      return told([
        ...numbers.flatMap((number) => otherThan(number, reviews)),
        ...pages.flatMap((page) => otherPage(page, reviews)),
        ...boards.flatMap((board) => otherBoard(board, reviews)),
      ])
    },
  }
}

function told([first, ...others]: readonly string[]): string | undefined {
  return first && `${1 + others.length} derived answers are wrong: ${first}`
}

/** A number that no versions of the reviews add up to: below the least of each, or above the most. */
function beyond({ label, told: found, of }: AskedNumber, versions: Workload['versions']): readonly string[] {
  let [least, most] = [0n, 0n]
  for (const all of versions.values()) {
    const given = all.map((review) => (review === undefined ? 0n : of(review)))
    least += given.reduce((a, b) => (a < b ? a : b))
    most += given.reduce((a, b) => (a > b ? a : b))
  }
  if (found >= least && found <= most) return []
  return [`${label} is ${decimalOf(found)}, never below ${decimalOf(least)} nor above ${decimalOf(most)}`]
}

function otherThan({ label, told: found, of }: AskedNumber, reviews: readonly Review[]): readonly string[] {
  const expected = reviews.reduce((sum, review) => sum + of(review), 0n)
  return found === expected ? [] : [`${label} is ${decimalOf(found)}, not ${decimalOf(expected)}`]
}

function neverThere({ label, items, isMet }: AskedPage, versions: Workload['versions']): readonly string[] {
  const wrong = items.filter(
    (item, i) =>
      !isMet(item) ||
      items.findIndex(({ id }) => id === item.id) !== i ||
      !(versions.get(item.id) ?? []).some((version) => version !== undefined && isSame(version, item)),
  )
  return wrong.map((item) => `${label} shows ${JSON.stringify(item)}`)
}

function isSame(a: Review, b: Review): boolean {
  return (['productId', 'language', 'rating', 'text', 'price'] as const).every((name) => a[name] === b[name])
}

function otherPage({ label, items, isMet, offset, size }: AskedPage, reviews: readonly Review[]): readonly string[] {
  const placeOf = ({ text, id }: Review): string => `${text}#${id}`
  const newestFirst = reviews.filter(isMet).sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
  const [expected, found] = [newestFirst.slice(offset, offset + size), items].map((all) => all.map(placeOf).join(' '))
  return expected === found ? [] : [`${label} is ${found}, not ${expected}`]
}

interface Standing {
  readonly scope: string
  readonly count: bigint
  readonly sum: bigint
}

function otherBoard({ label, entries, isMet, by, atLeast }: AskedBoard, reviews: readonly Review[]): readonly string[] {
  const standings = PRODUCTS.map((scope): Standing => {
    const own = reviews.filter((review) => review.productId === scope && isMet(review))
    return { scope, count: BigInt(own.length), sum: own.reduce((sum, { price = '0' }) => sum + unitsOf(price), 0n) }
  })
  const expected = standings.filter(({ count }) => count >= atLeast)
  const wrong = expected.filter(({ scope, count, sum }) => {
    const entry = entries.find((each) => each.scope === scope)
    return entry?.count !== Number(count) || (by === 'sum' && unitsOf(String(entry.sum)) !== sum)
  })
  const ordered = entries.flatMap((entry) => expected.find(({ scope }) => scope === entry.scope) ?? [])
  const isInOrder = ordered.every((one, i) => i === 0 || !isAbove(one, ordered[i - 1] as Standing, by))
  if (wrong.length === 0 && entries.length === expected.length && isInOrder) return []
  const shown = expected.map(({ scope, count, sum }) => `${scope}: ${count}, ${decimalOf(sum)}`)
  return [`the board ${label} is ${JSON.stringify(entries)}, not of ${shown.join('; ')}`]
}

/** Whether a scope has clearly more than another: a board goes by 38 digits. */
function isAbove(one: Standing, other: Standing, by: AskedBoard['by']): boolean {
  if (by === 'count') return one.count > other.count
  const [more, less] = by === 'sum' ? [one.sum, other.sum] : [one.sum * other.count, other.sum * one.count]
  const size = more < 0n ? -more : more
  return more - less > size / 10n ** 36n
}
