import { type CursorPoint, isAscending } from '../cursor/cursor.ts'
import type { List, Lists } from '../layouts/layout.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { EntryReader } from '../model/entry-reader.ts'
import { LapidaryError } from '../model/errors.ts'
import { higherOf, lowerOf, type Position, type Range } from '../model/position.ts'
import type { Query } from '../model/query.ts'
import type { UnreadableAttribute } from '../model/unreadable-item.ts'
import type { Actual, SourceActual, SourceRun } from '../planner/actual.ts'
import type { SourceObservation } from '../planner/experience.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import { asStep } from '../table/observer.ts'
import type { TableClient } from '../table/table-client.ts'
import { sizesWithinBytes } from './byte-cut.ts'
import { affordableSizes, type CapacityLimits, exhausted, firstSizes } from './capped-round.ts'
import { isBefore, itemsLacking, mergeCertain } from './merge.ts'
import { observations } from './observe.ts'
import { type Head, SourceReader } from './source-reader.ts'
import { topUp } from './top-up.ts'

/** Why a page came back before it was full. */
export type Stop = 'maxCapacity' | 'maxBytes' | 'aborted'

/** The items of a page in the query's order, and where to go on. */
export interface Execution {
  readonly heads: readonly Head[]
  /** Whether more may follow in the direction of the read. */
  readonly more: boolean
  /** Everything up to here was emitted: where the next read in the same direction begins. */
  readonly frontier: Position | undefined
  readonly stoppedBy: Stop | undefined
  /** Items of the whole query, where the read has told that. */
  readonly total?: number | undefined
  readonly actual: Actual
  /** In the order of the plan's sources. */
  readonly sources: readonly SourceRun[]
  /** Items that were left out, each by the first attribute that can't be read. */
  readonly unreadable: readonly UnreadableAttribute[]
  /** Each source as it was seen, for the plans of the next pages. */
  readonly observed: readonly SourceObservation[]
}

export interface ExecuteOptions extends CapacityLimits {
  /** No round begins once this many bytes were read, and each is made as small as what is left of them. */
  readonly maxBytes?: number | undefined
  readonly table: TableClient
  readonly lists: Lists
  readonly codec: EntryReader
  /** Milliseconds, only for measuring. */
  readonly now: () => number
  readonly point: CursorPoint | undefined
  readonly signal?: AbortSignal | undefined
  /** Told of a list that could not be read, before the error is thrown. */
  readonly failed?: ((list: List) => void) | undefined
  /** Whether an entry comes to the page. */
  readonly having?: ((entry: Entry) => boolean) | undefined
  /** Whether an entry is of an item that has not expired; all are when not given. */
  readonly isLive?: ((entry: Entry) => boolean) | undefined
  /** Finds what of an entry's item can't be read: such an item is left out, and told. All are taken as they are when not given. */
  readonly unreadable?: EntryReader['unreadable'] | undefined
  /** Stored names of the key attributes of a list, of which no filter expression may ask; none of an item's own when not given. */
  readonly keyNames?: ((list: List) => readonly string[]) | undefined
  /** Stored names of the attributes to read of a list, those of its keys included; all when not given. */
  readonly project?: ((list: List) => readonly string[] | undefined) | undefined
}

/**
 * Runs a plan: all sources at once, topped up together when one runs dry, merged by position until the page is full, the
 * data ends or a budget stops it.
 *
 * @throws {LapidaryError} `aborted` when the signal is aborted before anything was read.
 */
export async function execute(plan: Plan, options: ExecuteOptions): Promise<Execution> {
  const { query } = plan
  const { point, now, signal } = options
  const startedAt = now()
  const backward = point?.direction === 'backward'
  const ascending = isAscending(query, point?.direction ?? 'forward')
  const range = rangeOf(query, point, ascending)
  const sources = planSources(plan)
  const readers = sources.map(
    ({ source, residual, also }) =>
      new SourceReader({
        table: options.table,
        lists: options.lists,
        codec: options.codec,
        source,
        residual,
        also,
        whole: query.whole,
        range: rangeWithin(range, source.list),
        ascending,
        hasSlack: sources.length > 1 || Object.keys(residual).length > 0 || also !== undefined,
        having: options.having,
        keyNames: options.keyNames,
        project: options.project,
        isLive: options.isLive,
        unreadable: options.unreadable,
      }),
  )
  const fetched = async (reader: SourceReader, list: number, size: number): Promise<void> => {
    try {
      await asStep(options.table, { name: 'list', list }, () => reader.fetch(size, signal))
    } catch (error) {
      options.failed?.(reader.source.list)
      throw error
    }
  }
  const emitted: Head[] = []
  let rounds = 0
  let stoppedBy: Stop | undefined

  for (;;) {
    mergeCertain(readers, emitted, query.limit, ascending)
    const wanted = itemsLacking(readers, emitted.length, query.limit)
    if (wanted === 0) break

    const affordable =
      rounds === 0 ? firstSizes(readers, options) : affordableSizes(topUp(plan, readers, wanted), readers, options)
    const sizes = affordable && sizesWithinBytes(affordable, readers, options)
    if (signal?.aborted === true) stoppedBy = 'aborted'
    else if (sizes === undefined) stoppedBy = affordable === undefined ? 'maxCapacity' : 'maxBytes'
    if (stoppedBy !== undefined || sizes === undefined) break
    rounds += 1
    const before = spentBy(readers)
    try {
      await options.table.observe(
        { kind: 'round', number: rounds, queries: sizes.filter((size) => size > 0).length },
        () => Promise.all(readers.map((reader, i) => (sizes[i] ? fetched(reader, i, sizes[i]) : undefined))),
        () => {
          const { readUnits, itemsRead } = spentBy(readers)
          return { readUnits: readUnits - before.readUnits, itemsRead: itemsRead - before.itemsRead }
        },
      )
    } catch (error) {
      if (signal?.aborted !== true) throw error
      stoppedBy = 'aborted'
      mergeCertain(readers, emitted, query.limit, ascending)
      break
    }
  }

  const frontier = stoppedBy === undefined ? emitted.at(-1)?.position : certainFrontier(readers, emitted, ascending)
  if (stoppedBy !== undefined && frontier === undefined) throw stoppedEmpty(stoppedBy, options)
  const more = stoppedBy !== undefined || readers.some((reader) => reader.head !== undefined)
  return {
    heads: backward ? emitted.reverse() : emitted,
    more,
    frontier,
    stoppedBy,
    actual: totals(readers, rounds, emitted.length, now() - startedAt),
    sources: readers.map(({ run }) => run),
    unreadable: unreadableUntil(readers, more ? frontier : undefined, ascending),
    observed: observations(readers, ascending),
  }
}

/** The query's range, cut at the cursor. */
export function rangeOf({ from, to }: Query, point: CursorPoint | undefined, ascending: boolean): Range {
  return ascending
    ? { lower: higherOf(from, point?.bound), upper: to }
    : { lower: from, upper: lowerOf(to, point?.bound) }
}

/** The part of a range that a list has, where the list is a range of positions itself. */
function rangeWithin(range: Range, { within }: List): Range {
  if (within === undefined) return range
  return { lower: higherOf(within.lower, range.lower), upper: lowerOf(within.upper, range.upper) }
}

/** How far every source is known: up to there each matching item was emitted, even if there was none. */
function certainFrontier(
  readers: readonly SourceReader[],
  emitted: readonly Head[],
  ascending: boolean,
): Position | undefined {
  const last = emitted.at(-1)?.position
  const frontiers = readers.filter((reader) => reader.blocking).map(({ frontier }) => frontier)
  const nearest = frontiers.reduce((least, frontier) => {
    if (least === undefined || frontier === undefined) return undefined
    return isBefore(frontier, least, ascending) ? frontier : least
  }, frontiers[0])
  return last === undefined || (nearest !== undefined && isBefore(last, nearest, ascending)) ? nearest : last
}

/** Lists the items that the page passed over; those read ahead of it are told by the next one. */
function unreadableUntil(
  readers: readonly SourceReader[],
  frontier: Position | undefined,
  ascending: boolean,
): readonly UnreadableAttribute[] {
  const all = readers.flatMap(({ unreadable }) => unreadable)
  const passed = all.filter(({ position }) => frontier === undefined || !isBefore(frontier, position, ascending))
  // Several lists may hold one.
  return [...new Map(passed.map(({ attribute }) => [attribute.id, attribute])).values()]
}

/** Nothing was read, so there is no page to give and nowhere to go on from. */
function stoppedEmpty(stop: Stop, { maxCapacity, beside, signal }: ExecuteOptions): LapidaryError {
  return stop === 'aborted'
    ? new LapidaryError('aborted', 'the query was aborted before it read anything', { cause: signal?.reason })
    : exhausted(maxCapacity, beside?.())
}

/** What sources have taken so far. */
function spentBy(readers: readonly SourceReader[]): { readonly readUnits: number; readonly itemsRead: number } {
  let [readUnits, itemsRead] = [0, 0]
  for (const { actual } of readers) {
    readUnits += actual.rcu
    itemsRead += actual.itemsRead
  }
  return { readUnits, itemsRead }
}

function totals(readers: readonly SourceReader[], rounds: number, itemsReturned: number, ms: number): Actual {
  const sum = (field: keyof SourceActual): number => readers.reduce((total, { actual }) => total + actual[field], 0)
  const itemsRead = sum('itemsRead')
  const itemsReadAhead = readers.reduce((total, { buffered }) => total + buffered, 0)
  return {
    rcu: sum('rcu'),
    requests: sum('requests'),
    rounds,
    itemsRead,
    itemsReturned,
    itemsDiscarded: itemsRead - itemsReturned,
    itemsFilteredOut: itemsRead - itemsReturned - itemsReadAhead,
    itemsReadAhead,
    bytes: sum('bytes'),
    ms,
  }
}
