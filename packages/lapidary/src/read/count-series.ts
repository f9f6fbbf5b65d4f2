import { countedByDay, daysPartition } from '../derived/counts/counts-by-day.ts'
import { type ScopeStatistics, scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import { dayAfter, daysBetween, isDay, SPANS, type Span, spanEnd, spanStart } from '../model/day.ts'
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
export function requireSeries({ statistics }: Collection, { every, from, to, zone }: SeriesOptions): Span {
  const errors: InputIssue[] = []
  const refuse = (path: string, message: string): void => void errors.push({ path, message })
  const { days } = statistics
  if (days === undefined)
    refuse('every', 'takes counts by day, which the declaration does not have; say statistics: { days: true }')
  else if (zone !== undefined && zone !== days.zone)
    refuse('zone', `is ${shown(zone)}, and items are counted by the days of ${days.zone}; leave it out, or declare it`)
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
  const [first, last] = [from ?? days[0], to ?? (days.length > 0 ? dayAfter(days.at(-1) ?? '') : undefined)]
  if (first === undefined || last === undefined || first >= last) return []
  if (daysBetween(first, last) > MOST_DAYS)
    throw unprocessable('the count was refused', [
      {
        path: 'from',
        message: `would be ${first}, ${daysBetween(first, last)} days before the last; at most ${MOST_DAYS} are counted at once, so say from and to`,
      },
    ])
  const byStart = new Map<string, Entry[]>()
  for (const entry of entries) {
    const start = spanStart(every, entry.SK?.S ?? '')
    byStart.set(start, [...(byStart.get(start) ?? []), entry])
  }
  const parts: Part[] = []
  for (let start = spanStart(every, first); start < last; start = spanEnd(every, start)) {
    parts.push({ from: from !== undefined && start < from ? from : start, held: byStart.get(start) ?? [] })
  }
  return parts
}
