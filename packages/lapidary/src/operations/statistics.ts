import { countsKey } from '../derived/counts/counts-shape.ts'
import { type ScopeStatistics, scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Freshness } from '../derived/freshness.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { declaredEstimates, type Estimates } from '../planner/estimates.ts'
import { queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'

/** One scope's counts, and what reading them took. */
export interface StatisticsReading {
  readonly statistics: ScopeStatistics
  /** What plans are priced with; one for each reading, so that plans made on it are remembered. */
  readonly estimates: Estimates
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
  /** Told of a write, now or at a time, so that nobody is given counts from before it. */
  wrote(scope: string, at?: number): void
  /** Up to when nothing is left to count, as ISO 8601; null when no poller of this process has said so. */
  caughtUpAt(): string | null
}

/** How old counts may be that plans and totals are made from. */
const STATISTICS_AGE_MS = 1_000
const MOST_SCOPES = 5_000

interface StatisticsContext {
  readonly collection: Collection
  readonly table: TableClient
  readonly freshness: Freshness
  readonly clock: () => number
}

export function createStatisticsReader(context: StatisticsContext): StatisticsReader {
  const { clock, freshness } = context
  const readings = new Map<
    string,
    { readonly at: number; readonly complete: boolean; readonly reading: Promise<StatisticsReading> }
  >()
  return {
    async read(scope) {
      const at = clock()
      const recent = readings.get(scope)
      const complete = freshness.covers(scope, at)
      const good = recent !== undefined && at - recent.at < STATISTICS_AGE_MS && recent.complete === complete
      if (good) return { ...(await recent.reading), rcu: 0 }
      const reading = queryStatistics(context, scope)
      readings.delete(scope)
      readings.set(scope, { at, complete, reading })
      reading.catch(() => readings.delete(scope))
      const [oldest] = readings.keys()
      if (readings.size > MOST_SCOPES && oldest !== undefined) readings.delete(oldest)
      return reading
    },
    wrote(scope, at = clock()) {
      freshness.wrote(scope, at)
      readings.delete(scope)
    },
    caughtUpAt: () => isoTime(freshness.caughtUpAt),
  }
}

async function queryStatistics(
  { collection, table, clock, freshness }: StatisticsContext,
  scope: string,
): Promise<StatisticsReading> {
  const complete = freshness.covers(scope, clock())
  const { caughtUpAt } = freshness
  const entries: Entry[] = []
  let rcu = 0
  for await (const page of queryPages(table, wholePartition(countsKey(collection, scope).PK))) {
    entries.push(...(page.Items ?? []))
    rcu += page.ConsumedCapacity?.CapacityUnits ?? 0
  }
  const statistics = scopeStatistics(collection, entries)
  const estimates = countedEstimates(collection, statistics, complete)
  return { statistics, estimates, rcu, complete, asOf: latest(statistics.asOf, caughtUpAt) }
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
  return {
    basis: 'statistics',
    itemBytes: collection.itemBytes,
    count(selection) {
      const count = statistics.count(selection)
      return count > 0 || complete ? Math.max(0, count) : undefined
    },
    share: (selection) => (total <= 0 ? 0 : Math.max(0, statistics.count(selection)) / total),
    values: (facet) => collection.facets[facet]?.values ?? (complete ? statistics.values(facet) : undefined),
  }
}
