import { countsKey, isCounted } from '../derived/counts/counts-shape.ts'
import { type ScopeStatistics, scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import type { FacetValue } from '../model/facet.ts'
import { ownValue } from '../model/own-value.ts'
import type { Selection } from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import { declaredEstimates, type Estimates } from '../planner/estimates.ts'
import { keepLatest } from '../planner/keep-latest.ts'
import { queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'

/** One scope's counts, and what reading them took. */
export interface StatisticsReading {
  readonly entries: readonly Entry[]
  readonly statistics: ScopeStatistics
  /** What plans are priced with; one for each reading, so that plans made on it are remembered. */
  readonly estimates: Estimates
  /** The same, where the reading is too old to say that a list is empty. */
  readonly agedEstimates: Estimates
  /** Why nothing is known: then there are no entries, and what the statistics say is no answer. Undefined where it is known. */
  readonly unknown: UnknownReason | undefined
  /** RCU of the read; 0 when it was read a moment ago. */
  readonly rcu: number
  /** Whether, when they were read, the counts were known to be complete: 0 means that there is nothing. */
  readonly complete: boolean
  /** Up to when nothing was left to count, as ISO 8601; else when the last change that is counted was made. */
  readonly asOf: string | null
}

/**
 * Gives the counts of scopes, read at most once in {@link STATISTICS_AGE_MS} unless this process writes to the scope, and once
 * more when what it wrote is counted.
 */
export interface StatisticsReader {
  read(scope: string): Promise<StatisticsReading>
  /** Estimates from what was read of a scope, with nothing read for it: shares and sizes, of whatever age. */
  known(scope: string): Estimates | undefined
  /** Told of a write, now or at a time, so that no reader is given counts from before it. */
  wrote(scope: string, at?: number): void
  /** Up to when nothing is left to count, as ISO 8601; null when no poller of this process has said so. */
  caughtUpAt(): string | null
}

/** How old counts may be that plans and totals are made from. */
const STATISTICS_AGE_MS = 1_000
const MOST_SCOPES = 5_000

interface StatisticsContext {
  readonly collection: Collection
  /** What the counts are made by. */
  readonly shape: Shape
  readonly states: Pick<DerivedStates, 'unknown'>
  readonly table: TableClient
  readonly freshness: Freshness
  readonly clock: () => number
}

export function createStatisticsReader(context: StatisticsContext): StatisticsReader {
  const { clock, freshness } = context
  const readings = new Map<string, Reading>()
  /** What was found last, however long ago. */
  const found = new Map<string, StatisticsReading>()
  const recent = (scope: string): Reading | undefined => {
    const at = clock()
    const last = readings.get(scope)
    const good = last !== undefined && at - last.at < STATISTICS_AGE_MS && last.complete === freshness.covers(scope, at)
    return good ? last : undefined
  }
  return {
    async read(scope) {
      const last = recent(scope)
      if (last !== undefined) return { ...(await last.answer), rcu: 0 }
      const at = clock()
      const answer = queryStatistics(context, scope)
      const reading: Reading = { at, complete: freshness.covers(scope, at), answer, found: undefined }
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
    known: (scope) => recent(scope)?.found?.estimates ?? found.get(scope)?.agedEstimates,
    wrote(scope, at = clock()) {
      freshness.wrote(scope, at)
      readings.delete(scope)
    },
    caughtUpAt: () => isoTime(freshness.caughtUpAt),
  }
}

interface Reading {
  readonly at: number
  readonly complete: boolean
  readonly answer: Promise<StatisticsReading>
  /** Undefined while the answer is on its way. */
  found: StatisticsReading | undefined
}

async function queryStatistics(context: StatisticsContext, scope: string): Promise<StatisticsReading> {
  const { collection, shape, states, clock, freshness } = context
  const isCovered = freshness.covers(scope, clock())
  const { caughtUpAt } = freshness
  // Together: most counts are known.
  const [unknown, { entries, rcu }] = await Promise.all([states.unknown(shape), readEntries(context, scope)])
  if (unknown !== undefined) return nothingKnown(collection, unknown, rcu)
  const statistics = scopeStatistics(collection, entries)
  const complete = isCovered && statistics.whole
  const agedEstimates = countedEstimates(collection, statistics, false)
  const estimates = complete ? countedEstimates(collection, statistics, true) : agedEstimates
  const asOf = latest(statistics.asOf, caughtUpAt)
  return { entries, statistics, estimates, agedEstimates, unknown, rcu, complete, asOf }
}

async function readEntries(
  { shape, table }: StatisticsContext,
  scope: string,
): Promise<Pick<StatisticsReading, 'entries' | 'rcu'>> {
  const entries: Entry[] = []
  let rcu = 0
  for await (const page of queryPages(table, wholePartition(countsKey(shape, scope).PK))) {
    entries.push(...(page.Items ?? []))
    rcu += page.ConsumedCapacity?.CapacityUnits ?? 0
  }
  return { entries, rcu }
}

/** A plan does with what is declared; everything else is not known. */
function nothingKnown(collection: Collection, unknown: UnknownReason, rcu: number): StatisticsReading {
  const estimates = declaredEstimates(collection)
  const statistics = scopeStatistics(collection, [])
  return { entries: [], statistics, estimates, agedEstimates: estimates, unknown, rcu, complete: false, asOf: null }
}

function latest(counted: string | undefined, caughtUpAt: number | undefined): string | null {
  const caughtUp = isoTime(caughtUpAt)
  return counted !== undefined && counted > (caughtUp ?? '') ? counted : caughtUp
}

function isoTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}

/**
 * Estimates from counts. Unless the counts are known to be complete, 0 means only that nothing is counted yet: such a list
 * is still read, and values of open facets are not taken to be all.
 */
function countedEstimates(collection: Collection, statistics: ScopeStatistics, complete: boolean): Estimates {
  const declared = declaredEstimates(collection)
  const total = statistics.count({})
  if (total === 0 && !complete) return declared
  const sum = (selection: Selection): number => Math.max(0, statistics.count(selection))
  const seen = (facet: string): readonly FacetValue[] | undefined => {
    const known = ownValue(collection.facets, facet)
    return known?.values ?? (known?.counted ? statistics.values(facet) : undefined)
  }
  return {
    basis: 'statistics',
    size: declared.size,
    bytes: (selection) => statistics.bytes(partsOf(collection, selection).counted),
    sizeClasses: (selection) => statistics.sizeClasses(partsOf(collection, selection).counted),
    trust: declared.trust,
    count(selection) {
      const { counted, each } = partsOf(collection, selection)
      if ([counted, ...each].some((part) => sum(part) === 0)) return complete ? 0 : undefined
      return isCounted(collection, selection) ? sum(selection) : undefined
    },
    share(selection) {
      const { counted, each, rest } = partsOf(collection, selection)
      const shareOf = (part: Selection): number => (total <= 0 ? 0 : Math.min(1, sum(part) / total))
      return each.reduce((share, part) => share * shareOf(part), shareOf(counted) * declared.share(rest))
    },
    values: (facet) => (complete ? seen(facet) : declared.values(facet)),
    seen,
  }
}

/** A selection by what counts say of it: together, of one facet's values at a time, and nothing. */
interface CountedParts {
  readonly counted: Selection
  /** Of `eachOf` facets, beside the first one; they are taken as independent. */
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
