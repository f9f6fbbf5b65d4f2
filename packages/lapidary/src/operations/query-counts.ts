import { scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Query, scopesOf } from '../model/query.ts'
import { declaredEstimates, type Estimates } from '../planner/estimates.ts'
import { scopesEstimates } from '../planner/scopes.ts'
import type { ReadContext } from './context.ts'
import type { StatisticsReading } from './statistics.ts'

/**
 * What a query is planned on, with nothing read for it: what is known of each of its scopes. Of all together it is the declaration: each list has
 * an equal part.
 */
export function knownEstimates({ collection, statistics }: ReadContext, query: Query): Estimates {
  const declared = declaredEstimates(collection)
  const scopes = scopesOf(query)
  const [only] = scopes
  if (only === undefined) return declared
  if (scopes.length === 1) return statistics?.known(only) ?? declared
  return scopesEstimates(
    scopes.map((scope) => {
      const known = statistics?.known(scope)
      return { scope, estimates: known ?? declared, items: known && (known.count({}) ?? 0) }
    }),
  )
}

/** Reads the counts of a query's scopes; undefined without any: nothing counts all scopes together. */
export function readCounts(context: ReadContext, query: Query): Promise<StatisticsReading> | undefined {
  const { collection, statistics } = context
  const scopes = scopesOf(query)
  const [only] = scopes
  if (statistics === undefined || only === undefined) return undefined
  if (scopes.length === 1) return statistics.read(only)
  return Promise.all(scopes.map((scope) => statistics.read(scope))).then((readings) =>
    joined(collection, scopes, readings),
  )
}

/** The sum of counts, up to the earliest time of any. */
function joined(
  collection: Collection,
  scopes: readonly string[],
  readings: readonly StatisticsReading[],
): StatisticsReading {
  const entries = readings.flatMap((reading) => reading.entries)
  const times = readings.map(({ asOf }) => asOf)
  const estimatesBy = (of: 'estimates' | 'agedEstimates'): Estimates =>
    scopesEstimates(
      readings.map((reading, i) => ({
        ...{ scope: scopes[i] ?? '', estimates: reading[of], items: reading.statistics.count({}) },
      })),
    )
  return {
    entries,
    statistics: scopeStatistics(collection, entries),
    estimates: estimatesBy('estimates'),
    agedEstimates: estimatesBy('agedEstimates'),
    unknown: readings.find(({ unknown }) => unknown !== undefined)?.unknown,
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
