import { countedByDay, daysPartition } from '../derived/counts/counts-by-day.ts'
import { type ScopeStatistics, scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import { dayAfter, daysBetween, isDay, SPANS, type Span, spanStart, spansBetween } from '../model/day.ts'
import type { Entry } from '../model/entry.ts'
import { type InputIssue, shown, unprocessable } from '../model/errors.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import { queryPages } from '../table/paging.ts'
import type { ReadContext } from './context.ts'
import type { SeriesOptions } from './series-options.ts'

/** Days of one request: some ten years. */
export const MOST_DAYS = 3_700

/** The counts of some days. */
export interface SeriesReading {
  /** All days together. */
  readonly whole: ScopeStatistics
  /** Each part by its first day, those without an item too. */
  readonly parts: readonly { readonly from: string; readonly statistics: ScopeStatistics }[]
  readonly unknown: UnknownReason | undefined
  readonly rcu: number
}

/** @throws {LapidaryError} `unprocessable` for days that there are not, or that are not counted. */
export function requireSeries({ statistics }: Collection, options: SeriesOptions): Span {
  const { days } = statistics
  const { zone } = options
  const issue = (path: string, message: string): readonly InputIssue[] => [{ path, message }]
  if (days === undefined)
    return requireSpan(
      options,
      issue('every', 'takes counts by day, which the declaration does not have; say statistics: { days: true }'),
    )
  const isOther = zone !== undefined && zone !== days.zone
  const other = `is ${shown(zone)}, and items are counted by the days of ${days.zone}; leave it out, or declare it`
  return requireSpan(options, isOther ? issue('zone', other) : [])
}

/**
 * Requires parts of a time line that there are.
 *
 * @param issues What else is wrong.
 * @throws {LapidaryError} `unprocessable`.
 */
export function requireSpan({ every, from, to }: SeriesOptions, issues: readonly InputIssue[] = []): Span {
  const errors: InputIssue[] = [...issues]
  const refuse = (path: string, message: string): void => void errors.push({ path, message })
  if (!SPANS.includes(every)) refuse('every', `must be one of ${SPANS.join(', ')}, not ${shown(every)}`)
  for (const [path, day] of Object.entries({ from, to }))
    if (day !== undefined && !isDay(day)) refuse(path, `must be a day, as 2026-01-31, not ${shown(day)}`)
  if (errors.length === 0 && from !== undefined && to !== undefined) {
    if (from >= to) refuse('to', `must be a day after from, which is ${from}; it is the first day that is left out`)
    else if (daysBetween(from, to) > MOST_DAYS)
      refuse('to', `is ${daysBetween(from, to)} days after from; at most ${MOST_DAYS} are counted at once`)
  }
  if (errors.length > 0) throw unprocessable('the count was refused', errors)
  return every as Span
}

/**
 * Reads the days of scopes, or of shards of all scopes.
 *
 * @param groups The scopes or the shards.
 * @throws {LapidaryError} `unprocessable` for more days than are counted at once.
 */
export async function readSeries(
  { collection, table, derivedStates }: ReadContext,
  shape: Shape,
  groups: readonly string[],
  options: SeriesOptions,
): Promise<SeriesReading> {
  const { every = 'day' } = options
  const partitions = groups.map((group) => daysPartition(shape, group))
  const [unknown, ...readings] = await Promise.all([
    derivedStates.unknown(shape),
    ...partitions.map((partition) => readDays(table, partition, options)),
  ])
  const entries = readings.flatMap((reading) => reading.entries)
  const counted = countedByDay(collection)
  return {
    whole: scopeStatistics(counted, entries),
    parts: partsOf(entries, every, options).map(({ from, held }) => ({
      from,
      statistics: scopeStatistics(counted, held),
    })),
    unknown,
    rcu: readings.reduce((sum, { rcu }) => sum + rcu, 0),
  }
}

interface DaysReading {
  readonly entries: readonly Entry[]
  readonly rcu: number
}

async function readDays(
  table: ReadContext['table'],
  partition: string,
  { from, to }: SeriesOptions,
): Promise<DaysReading> {
  const entries: Entry[] = []
  let rcu = 0
  const lowest = from ?? '0'
  // Days sort before it, and the last day that is wanted is the one before `to`.
  const beyond = to ?? ':'
  const days = queryPages(table, {
    KeyConditionExpression: 'PK = :k AND SK BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':k': { S: partition }, ':from': { S: lowest }, ':to': { S: beyond } },
  })
  for await (const page of days) {
    entries.push(...(page.Items ?? []).filter(({ SK }) => SK?.S !== to))
    rcu += page.ConsumedCapacity?.CapacityUnits ?? 0
  }
  return { entries, rcu }
}

interface Part {
  readonly from: string
  readonly held: readonly Entry[]
}

function partsOf(entries: readonly Entry[], every: Span, { from, to }: SeriesOptions): readonly Part[] {
  const days = entries.map(({ SK }) => SK?.S ?? '').toSorted()
  const byStart = new Map<string, Entry[]>()
  for (const entry of entries) {
    const start = spanStart(every, entry.SK?.S ?? '')
    byStart.set(start, [...(byStart.get(start) ?? []), entry])
  }
  const [first, last] = [from ?? days[0], to ?? (days.length > 0 ? dayAfter(days.at(-1) ?? '') : undefined)]
  return seriesParts(every, first, last, from).map((part) => ({ from: part.from, held: byStart.get(part.start) ?? [] }))
}

/** A part of a time line: its first day, and the first that was asked for. */
export interface SeriesPart {
  readonly start: string
  readonly from: string
}

/**
 * The parts of a time line from a day on and before another.
 *
 * @param asked The first day that was asked for.
 * @throws {LapidaryError} `unprocessable` for more days than are counted at once.
 */
export function seriesParts(
  every: Span,
  first: string | undefined,
  last: string | undefined,
  asked: string | undefined,
): readonly SeriesPart[] {
  if (first === undefined || last === undefined || first >= last) return []
  if (daysBetween(first, last) > MOST_DAYS)
    throw unprocessable('the count was refused', [
      {
        path: 'from',
        message: `would be ${first}, ${daysBetween(first, last)} days before the last; at most ${MOST_DAYS} are counted at once, so say from and to`,
      },
    ])
  return spansBetween(every, first, last).map((start) => {
    return { start, from: asked !== undefined && start < asked ? asked : start }
  })
}
