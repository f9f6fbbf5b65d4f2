import { countsKey, isCounted } from '../derived/counts/counts-shape.ts'
import { type ScopeStatistics, scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { ownValue } from '../model/own-value.ts'
import type { Selection } from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import { NOTHING } from '../planner/beside.ts'
import { declaredEstimates, type Estimates } from '../planner/estimates.ts'
import { keepLatest } from '../planner/keep-latest.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import { queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'

/** Counts of one scope or of several, and what reading them took: RCU and requests are 0 where they were read a moment ago. */
export interface CountsReading extends PlanEstimate {
  readonly entries: readonly Entry[]
  readonly statistics: ScopeStatistics
  /** Why nothing is known; undefined where it is known. */
  readonly unknown: UnknownReason | undefined
  /** Up to when nothing was left to count, as ISO 8601; else when the last change that is counted was made. */
  readonly asOf: string | null
}

/** The counts of one scope. */
export interface StatisticsReading extends CountsReading {
  /** Prices plans; one for each reading, so that plans made on it are remembered. */
  readonly estimates: Estimates
}

/**
 * Gives the counts of scopes, read at most once in {@link STATISTICS_AGE_MS} unless this process writes to the scope, and once
 * more when what it wrote is counted.
 */
export interface StatisticsReader {
  read(scope: string): Promise<StatisticsReading>
  /** Estimates {@link read} now: as much as the last time, and nothing where that was a moment ago. */
  expected(scope: string): PlanEstimate
  /** Estimates from what was read of a scope, with nothing read for it: shares and sizes, of whatever age. */
  known(scope: string): Estimates | undefined
  /** Told of a write, so that no reader is given counts from before it. */
  wrote(scope: string): void
  /** Up to when nothing is left to count, as ISO 8601; null when no poller of this process has said so. */
  caughtUpAt(): string | null
}

/** How old counts may be that plans and totals are made from. */
const STATISTICS_AGE_MS = 1_000
const MOST_SCOPES = 5_000
/** The counts of most scopes are one block of 4 KB. */
const USUAL: PlanEstimate = Object.freeze({ rcu: 0.5, requests: 1, rounds: 1 })

interface StatisticsContext {
  readonly collection: Collection
  /** The shape that the counts are made by. */
  readonly shape: Shape
  readonly states: Pick<DerivedStates, 'unknown'>
  readonly table: TableClient
  readonly freshness: Pick<Freshness, 'caughtUpAt'>
  readonly clock: () => number
}

export function createStatisticsReader(context: StatisticsContext): StatisticsReader {
  const { clock, freshness } = context
  const readings = new Map<string, Reading>()
  /** The last reading of each scope, however old. */
  const found = new Map<string, StatisticsReading>()
  const recent = (scope: string): Reading | undefined => {
    const last = readings.get(scope)
    return last !== undefined && clock() - last.at < STATISTICS_AGE_MS ? last : undefined
  }
  return {
    async read(scope) {
      const last = recent(scope)
      if (last !== undefined) return { ...(await last.answer), ...NOTHING }
      const answer = queryStatistics(context, scope)
      const reading: Reading = { at: clock(), answer, found: undefined }
      keepLatest(readings, scope, reading, MOST_SCOPES)
      answer.then(
        (answered) => {
          reading.found = answered
          if (answered.unknown === undefined) return keepLatest(found, scope, answered, MOST_SCOPES)
          // It may be known any moment.
          found.delete(scope)
          if (readings.get(scope) === reading) readings.delete(scope)
        },
        () => readings.delete(scope),
      )
      return answer
    },
    expected: (scope) => (recent(scope) === undefined ? (found.get(scope) ?? USUAL) : NOTHING),
    known: (scope) => (recent(scope)?.found ?? found.get(scope))?.estimates,
    wrote: (scope) => void readings.delete(scope),
    caughtUpAt: () => isoTime(freshness.caughtUpAt),
  }
}

interface Reading {
  readonly at: number
  readonly answer: Promise<StatisticsReading>
  /** Undefined while the answer is on its way. */
  found: StatisticsReading | undefined
}

async function queryStatistics(context: StatisticsContext, scope: string): Promise<StatisticsReading> {
  const { collection, shape, states, freshness } = context
  const { caughtUpAt } = freshness
  // Together: most counts are known.
  const [unknown, { entries, took }] = await Promise.all([states.unknown(shape), readEntries(context, scope)])
  if (unknown !== undefined) return nothingKnown(collection, unknown, took)
  const statistics = scopeStatistics(collection, entries)
  const estimates = countedEstimates(collection, statistics)
  return { entries, statistics, estimates, unknown, asOf: latest(statistics.asOf, caughtUpAt), ...took }
}

async function readEntries(
  { shape, table }: StatisticsContext,
  scope: string,
): Promise<{ readonly entries: readonly Entry[]; readonly took: PlanEstimate }> {
  const entries: Entry[] = []
  let rcu = 0
  let requests = 0
  for await (const page of queryPages(table, wholePartition(countsKey(shape, scope).PK))) {
    entries.push(...(page.Items ?? []))
    rcu += page.ConsumedCapacity?.CapacityUnits ?? 0
    requests += 1
  }
  // Each page is asked for when the one before is there.
  return { entries, took: { rcu, requests, rounds: requests } }
}

/** A plan does with what is declared; everything else is not known. */
function nothingKnown(collection: Collection, unknown: UnknownReason, took: PlanEstimate): StatisticsReading {
  const estimates = declaredEstimates(collection)
  return { entries: [], statistics: scopeStatistics(collection, []), estimates, unknown, asOf: null, ...took }
}

function latest(counted: string | undefined, caughtUpAt: number | undefined): string | null {
  const caughtUp = isoTime(caughtUpAt)
  return counted !== undefined && counted > (caughtUp ?? '') ? counted : caughtUp
}

function isoTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}

/**
 * Estimates from counts. They price, and say nothing of what there is not: the change stream may still tell of items in a list that is counted
 * empty, or of further values of a facet.
 */
export function countedEstimates(collection: Collection, statistics: ScopeStatistics): Estimates {
  const declared = declaredEstimates(collection)
  const total = statistics.count({})
  if (total === 0) return declared
  const sum = (selection: Selection): number => Math.max(0, statistics.count(selection))
  return {
    basis: 'statistics',
    size: declared.size,
    bytes: (selection) => statistics.bytes(partsOf(collection, selection).counted),
    sizeClasses: (selection) => statistics.sizeClasses(partsOf(collection, selection).counted),
    trust: declared.trust,
    count: (selection) => (isCounted(collection, selection) && sum(selection)) || undefined,
    share(selection) {
      const { counted, each, rest } = partsOf(collection, selection)
      const shareOf = (part: Selection): number => (total <= 0 ? 0 : Math.min(1, sum(part) / total))
      return each.reduce((share, part) => share * shareOf(part), shareOf(counted) * declared.share(rest))
    },
    values: declared.values,
    seen(facet) {
      const known = ownValue(collection.facets, facet)
      return known?.values ?? (known?.counted ? statistics.values(facet) : undefined)
    },
  }
}

/** A selection by what counts say of it: together, of one facet's values at a time, and nothing. */
interface CountedParts {
  readonly counted: Selection
  /** Further `eachOf` facets, beside the first one; they are taken as independent. */
  readonly each: readonly Selection[]
  readonly rest: Selection
}

function partsOf(collection: Collection, selection: Selection): CountedParts {
  if (isCounted(collection, selection)) return { counted: selection, each: [], rest: {} }
  const all = Object.entries(selection)
  const isKnown = ([facet]: (typeof all)[number]): boolean => isCounted(collection, { [facet]: [] })
  const known = all.filter(isKnown)
  const [, ...each] = known.filter(([facet]) => ownValue(collection.facets, facet)?.kind === 'eachOf')
  return {
    counted: Object.fromEntries(known.filter((one) => !each.includes(one))),
    each: each.map((one) => Object.fromEntries([one])),
    rest: Object.fromEntries(all.filter((one) => !isKnown(one))),
  }
}
