import { scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import type { FacetValue } from '../model/facet.ts'
import { type Query, scopesOf } from '../model/query.ts'
import { declaredEstimates, type Estimates } from '../planner/estimates.ts'
import { spreadEstimates } from '../planner/scopes.ts'
import type { CollectionContext } from './context.ts'
import type { StatisticsReading } from './statistics.ts'

/**
 * What a query is planned on, with nothing read for it. Of several scopes, or all, it is the declaration: each list has an equal
 * part.
 */
export function knownEstimates({ collection, statistics }: CollectionContext, query: Query): Estimates {
  const declared = declaredEstimates(collection)
  const scopes = scopesOf(query)
  const [only] = scopes
  if (only === undefined) return declared
  return scopes.length === 1 ? (statistics?.known(only) ?? declared) : spreadEstimates(declared, scopes.length)
}

/** Reads the counts of a query's scopes; undefined without any: nothing counts all scopes together. */
export function readCounts(context: CollectionContext, query: Query): Promise<StatisticsReading> | undefined {
  const { collection, statistics } = context
  const scopes = scopesOf(query)
  const [only] = scopes
  if (statistics === undefined || only === undefined) return undefined
  if (scopes.length === 1) return statistics.read(only)
  return Promise.all(scopes.map((scope) => statistics.read(scope))).then((readings) => joined(collection, readings))
}

/** The sum of counts, up to the earliest time of any. */
function joined(collection: Collection, readings: readonly StatisticsReading[]): StatisticsReading {
  const entries = readings.flatMap((reading) => reading.entries)
  const times = readings.map(({ asOf }) => asOf)
  const [first] = readings as [StatisticsReading]
  /** Of an open facet the values of all scopes, if they are known of each. */
  const values = (facet: string): readonly FacetValue[] | undefined => {
    const each = readings.map(({ estimates }) => estimates.values(facet))
    return each.includes(undefined) ? undefined : [...new Set(each.flatMap((known) => known ?? []))]
  }
  const estimates = { ...spreadEstimates(first.estimates, readings.length), values }
  return {
    entries,
    statistics: scopeStatistics(collection, entries),
    estimates,
    agedEstimates: estimates,
    rcu: readings.reduce((sum, { rcu }) => sum + rcu, 0),
    complete: readings.every(({ complete }) => complete),
    asOf: times.includes(null) ? null : (times.toSorted()[0] ?? null),
  }
}

/**
 * A query of one scope.
 *
 * @throws {LapidaryError} `unprocessable` for one of several, or of all.
 */
export function oneScope(query: Query, what: string): Query {
  if (scopesOf(query).length === 1) return query
  throw new LapidaryError('unprocessable', `${what} of one scope only; go through several by cursor`)
}
