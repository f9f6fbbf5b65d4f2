import type { CursorPoint } from '../cursor/cursor.ts'
import type { Bounds, Layout } from '../layouts/layout.ts'
import { LapidaryError } from '../model/errors.ts'
import { compareBytes } from '../model/key-text.ts'
import type { Position } from '../model/position.ts'
import type { Query } from '../model/query.ts'
import { readPrice } from '../planner/entry-size.ts'
import type { SourceObservation } from '../planner/experience.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import type { EntryCodec } from '../table/entry.ts'
import type { TableClient } from '../table/table-client.ts'
import { isBefore, mergeCertain } from './merge.ts'
import { observations } from './observe.ts'
import { type Head, type SourceActual, SourceReader } from './source-reader.ts'
import { topUp } from './top-up.ts'

/** Why a page came back before it was full. */
export type Stop = 'maxCapacity' | 'aborted'

/** What running a plan took; capacity is what DynamoDB reported. */
export interface Actual {
  readonly rcu: number
  readonly requests: number
  readonly rounds: number
  readonly itemsRead: number
  readonly itemsReturned: number
  readonly itemsDiscarded: number
  readonly bytes: number
  readonly ms: number
}

/** The items of a page in the query's order, and where to go on. */
export interface Execution {
  readonly heads: readonly Head[]
  /** Whether more may follow in the direction of the read. */
  readonly more: boolean
  /** Everything up to here was emitted: where the next read in the same direction begins. */
  readonly frontier: Position | undefined
  readonly stoppedBy: Stop | undefined
  readonly actual: Actual
  /** In the order of the plan's sources. */
  readonly sources: readonly SourceActual[]
  /** What was seen of each source, for the plans of the next pages. */
  readonly observed: readonly SourceObservation[]
}

export interface ExecuteOptions {
  readonly table: TableClient
  readonly layout: Layout
  readonly codec: EntryCodec
  /** Milliseconds, only for measuring. */
  readonly now: () => number
  readonly point: CursorPoint | undefined
  /** No round begins that is expected to take the total above this many RCU. */
  readonly maxCapacity?: number | undefined
  readonly signal?: AbortSignal | undefined
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
  const ascending = (query.order === 'oldest') !== backward
  const bounds = readBounds(query, point, ascending)
  const readers = planSources(plan).map(
    ({ source, residual }) =>
      new SourceReader({
        table: options.table,
        layout: options.layout,
        codec: options.codec,
        source,
        residual,
        bounds,
        ascending,
      }),
  )
  const emitted: Head[] = []
  let rounds = 0
  let stoppedBy: Stop | undefined

  for (;;) {
    mergeCertain(readers, emitted, query.limit, ascending)
    const full = emitted.length === query.limit
    const blocked = readers.some((reader) => reader.blocking)
    if (!blocked || (full && readers.some((reader) => reader.head !== undefined))) break

    const wanted = full ? 1 : query.limit - emitted.length
    const sizes = rounds === 0 ? readers.map(({ source }) => source.fetch) : topUp(plan, readers, wanted)
    stoppedBy = budgetStop(readers, sizes, options)
    if (stoppedBy !== undefined) break
    rounds += 1
    try {
      await Promise.all(readers.map((reader, i) => (sizes[i] ? reader.fetch(sizes[i], signal) : undefined)))
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
    sources: readers.map(({ actual }) => actual),
    observed: observations(readers, ascending),
  }
}

/** The query's range, cut at the cursor. */
function readBounds(query: Query, point: CursorPoint | undefined, ascending: boolean): Bounds {
  const from = query.from === undefined ? undefined : { position: query.from, inclusive: true }
  // No item is at an order value alone, without an id, so both ends are exact either way.
  const to = query.to === undefined ? undefined : { position: query.to, inclusive: true }
  if (point === undefined) return { lower: from, upper: to }
  const cut = { position: point.position, inclusive: point.inclusive }
  if (ascending)
    return { lower: from === undefined || compareBytes(from.position, cut.position) < 0 ? cut : from, upper: to }
  return { lower: from, upper: to === undefined || compareBytes(cut.position, to.position) < 0 ? cut : to }
}

function budgetStop(
  readers: readonly SourceReader[],
  sizes: readonly number[],
  options: ExecuteOptions,
): Stop | undefined {
  if (options.signal?.aborted === true) return 'aborted'
  if (options.maxCapacity === undefined) return undefined
  const used = readers.reduce((sum, { actual }) => sum + actual.rcu, 0)
  const next = readers.reduce((sum, { source }, i) => sum + readPrice(sizes[i] ?? 0, source.size), 0)
  return used + next > options.maxCapacity ? 'maxCapacity' : undefined
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

/** Nothing was read, so there is no page to give and nowhere to go on from. */
function stoppedEmpty(stop: Stop, { maxCapacity, signal }: ExecuteOptions): LapidaryError {
  return stop === 'aborted'
    ? new LapidaryError('aborted', 'the query was aborted before it read anything', { cause: signal?.reason })
    : new LapidaryError(
        'capacity_exhausted',
        `maxCapacity ${maxCapacity} is less than the first round is expected to cost; raise it or lower the limit`,
      )
}

function totals(readers: readonly SourceReader[], rounds: number, itemsReturned: number, ms: number): Actual {
  const sum = (field: keyof SourceActual): number => readers.reduce((total, { actual }) => total + actual[field], 0)
  const itemsRead = sum('itemsRead')
  return {
    rcu: sum('rcu'),
    requests: sum('requests'),
    rounds,
    itemsRead,
    itemsReturned,
    itemsDiscarded: itemsRead - itemsReturned,
    bytes: sum('bytes'),
    ms,
  }
}
