import type { Query } from '../model/query.ts'
import type { Beside } from '../planner/beside.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import { asStep } from '../table/observer.ts'
import type { AskedTotal, IndexedTotal } from './asked-total.ts'
import type { ReadContext } from './context.ts'
import type { ReadOptions } from './list-options.ts'
import { expectedCounts, readCounts } from './query-counts.ts'
import type { Start } from './start.ts'
import type { CountsReading } from './statistics.ts'
import { untilAborted } from './until-aborted.ts'

/** The least that DynamoDB charges for a read of a list. */
const LEAST_LIST_RCU = 0.5

/** The answers that were read beside the lists of a page. */
export interface Along {
  readonly counted: CountsReading | undefined
  readonly indexed: IndexedTotal | undefined
  readonly besides: readonly Beside[]
  /** Why counts that were asked for are missing. */
  readonly lacking: 'aborted' | 'maxCapacity' | undefined
}

/** The reads beside the lists of a page, while they go on. */
export interface AlongReads {
  /** Told how many lists are about to be read. */
  readonly planned: (lists: number) => void
  /** RCU of the page that its lists can't have, as far as that is known by now. */
  readonly spent: () => number
  /**
   * Waits for the reads, and begins those for which the lists had to leave capacity.
   *
   * @param listsRcu Waits for the lists, and gives what they took.
   */
  readonly end: (listsRcu: () => Promise<number>) => Promise<Along>
}

/**
 * Reads the counts, and the total of a page index where it is asked for, while the lists are read. Where a cap may be too low for both they
 * wait for the lists, and are left out where these leave too little.
 */
export function readAlong(
  context: ReadContext,
  query: Query,
  start: Start,
  asked: AskedTotal | undefined,
  { counts, maxCapacity = Number.POSITIVE_INFINITY, signal }: ReadOptions,
): AlongReads {
  const before = start.kind === 'rank' ? start.besides : []
  const spentBefore = before.reduce((sum, { actual }) => sum + (actual?.rcu ?? 0), 0)
  const expected = counts === false ? undefined : expectedCounts(context, query)
  const most = (expected?.rcu ?? 0) + (asked?.estimated.rcu ?? 0)
  let begun: 'along' | 'after' | undefined
  let counting: Pending<CountsReading> | undefined
  let asking: Pending<IndexedTotal> | undefined
  const begin = (when: 'along' | 'after', left: number): void => {
    begun = when
    const canCount = expected !== undefined && expected.rcu <= left
    if (canCount)
      counting = pending(
        expected,
        untilAborted(
          asStep(context.table, { name: 'counts' }, async () => readCounts(context, query)),
          signal,
        ),
      )
    const rest = canCount ? left - expected.rcu : left
    if (asked !== undefined && asked.estimated.rcu <= rest)
      asking = pending(asked.estimated, untilAborted(asStep(context.table, { name: 'total' }, asked.ask), signal))
  }
  if (maxCapacity === Number.POSITIVE_INFINITY) begin('along', maxCapacity)

  return {
    planned(lists) {
      const left = maxCapacity - spentBefore
      if (begun === undefined && most + lists * LEAST_LIST_RCU <= left) begin('along', left)
    },
    spent: () => spentBefore + (counting?.rcu() ?? 0) + (asking?.rcu() ?? 0),
    async end(listsRcu) {
      if (begun === undefined) {
        const left = maxCapacity - spentBefore - (await listsRcu())
        if (begun === undefined) begin('after', left)
      }
      const [counted, indexed] = await Promise.all([counting?.answer, asking?.answer])
      const when = begun ?? 'along'
      const besides = [
        ...before,
        ...(counting === undefined ? [] : [besideOf('counts', 'COUNTS', when, counting, counted)]),
        ...(asking === undefined ? [] : [besideOf('pageIndex', 'PAGE INDEX TOTAL', when, asking, indexed)]),
      ]
      const lacking = expected === undefined || counted !== undefined ? undefined : counting ? 'aborted' : 'maxCapacity'
      return { counted, indexed, besides, lacking }
    },
  }
}

/** A read that goes on. */
export interface Pending<T> {
  readonly expected: PlanEstimate
  readonly answer: Promise<T | undefined>
  /** Its cost, as far as that is known by now. */
  readonly rcu: () => number
}

export function pending<T extends PlanEstimate>(expected: PlanEstimate, answer: Promise<T | undefined>): Pending<T> {
  let found: T | undefined
  const noted = answer.then((told) => {
    found = told
    return told
  })
  // It is thrown where it is waited for.
  noted.catch(() => {})
  return { expected, answer: noted, rcu: () => (found ?? expected).rcu }
}

export function besideOf(
  kind: Beside['kind'],
  text: string,
  when: Beside['when'],
  { expected }: Pick<Pending<unknown>, 'expected'>,
  found: PlanEstimate | undefined,
): Beside {
  const actual = found && { rcu: found.rcu, requests: found.requests, rounds: found.rounds }
  return { kind, text, when, estimated: expected, actual }
}
