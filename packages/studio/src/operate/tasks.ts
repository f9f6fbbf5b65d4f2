import { MOST_PENDING } from 'lapidary'
import { count, duration, number } from '../web/words.ts'
import type { OperatingState } from './read-state.ts'

/** Something to do, and the operation that does it. */
export interface Task {
  readonly text: string
  /** The kind of the operation; undefined where it is none of the studio's. */
  readonly by: string | undefined
}

/** Milliseconds from which changes that wait are late although a process reads them. */
const SLOW_MS = 60_000

/** Returns what there is to do about a table, by its state. */
export function tasksOf(
  { table, indexes, derived, stream, gaps, deadLetters }: OperatingState,
  now: number,
): readonly Task[] {
  if (table === undefined) return []
  const unready = indexes.filter(({ state, declared }) => declared && state !== 'ready').map(({ index }) => index)
  const unknown = derived.filter(({ state, isDeclared }) => isDeclared && state !== 'ready')
  return [
    ...(unready.length === 0 ? [] : [{ text: `${unready.join(', ')} can’t be read yet: Backfill`, by: 'backfill' }]),
    ...unknown.map(({ name, collection, state }) => ({
      text: `${name} of ${collection} are ${state}, so not known: ${name === 'pages' ? 'Rebuild page index' : 'Rebuild all'}`,
      by: name === 'pages' ? 'rebuild-pages' : 'rebuild-all',
    })),
    ...(gaps.length === 0
      ? []
      : [{ text: `The stream lost changes of ${count(gaps.length, 'shard')}: Repair`, by: 'repair' }]),
    ...(deadLetters.length === 0
      ? []
      : [
          {
            text: `${count(deadLetters.length, 'change')} could not be counted: mend the items, then Repair`,
            by: 'repair',
          },
        ]),
    ...waitingTasks(stream, now),
  ]
}

function waitingTasks(stream: OperatingState['stream'], now: number): readonly Task[] {
  if (stream === undefined)
    return [{ text: 'The table has no change stream, so nothing can be counted: turn it on', by: undefined }]
  return [stream, ...(stream.apart === undefined ? [] : [stream.apart])].flatMap(
    ({ pending, pendingSince, shards }) => {
      const isRead = shards.some(({ owner }) => owner !== undefined)
      const lag = pendingSince === undefined ? 0 : now - pendingSince
      if (pending === 0 || (isRead && lag <= SLOW_MS)) return []
      const why = isRead ? `, the first ${duration(lag)} old` : ', and no process holds the stream'
      return [{ text: `${pendingText(pending)}${why}: Count what waits`, by: 'catch-up' }]
    },
  )
}

/** Says how many changes wait. A report counts no more than {@link MOST_PENDING}. */
export function pendingText(pending: number): string {
  return `${number(pending)}${pending >= MOST_PENDING ? ' or more' : ''} ${pending === 1 ? 'change is' : 'changes are'} not counted`
}
