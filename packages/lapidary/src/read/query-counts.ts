import { scopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Query, scopesOf } from '../model/query.ts'
import { NOTHING } from '../planner/beside.ts'
import { declaredEstimates, type Estimates } from '../planner/estimates.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import { scopesEstimates } from '../planner/scopes.ts'
import type { ReadContext } from './context.ts'
import type { CountsReading, StatisticsReader } from './statistics.ts'

/** The part of what reading needs by which a process knows what it has counted. */
export interface CountedContext {
  readonly collection: Collection
  readonly statistics: Pick<StatisticsReader, 'known'> | undefined
}

/**
 * Gives the estimates that a query is planned on, with nothing read for it: what is known of each of its scopes. All scopes together go by the declaration: each list has
 * an equal part.
 */
export function knownEstimates({ collection, statistics }: CountedContext, query: Query): Estimates {
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
export function readCounts(context: ReadContext, query: Query): Promise<CountsReading> | undefined {
  const { collection, statistics } = context
  const scopes = scopesOf(query)
  const [only] = scopes
  if (statistics === undefined || only === undefined) return undefined
  if (scopes.length === 1) return statistics.read(only)
  return Promise.all(scopes.map((scope) => statistics.read(scope))).then((readings) => joined(collection, readings))
}

/** Estimates the read of the counts of a query's scopes; undefined where {@link readCounts} reads none. */
export function expectedCounts({ statistics }: ReadContext, query: Query): PlanEstimate | undefined {
  const scopes = scopesOf(query)
  if (statistics === undefined || scopes.length === 0) return undefined
  return scopes.map((scope) => statistics.expected(scope)).reduce(besideEachOther)
}

/** Adds up reads that go on at the same time. */
function besideEachOther(a: PlanEstimate, b: PlanEstimate): PlanEstimate {
  return { rcu: a.rcu + b.rcu, requests: a.requests + b.requests, rounds: Math.max(a.rounds, b.rounds) }
}

/** The sum of counts, up to the earliest time of any. */
function joined(collection: Collection, readings: readonly CountsReading[]): CountsReading {
  const entries = readings.flatMap((reading) => reading.entries)
  const times = readings.map(({ asOf }) => asOf)
  return {
    entries,
    statistics: scopeStatistics(collection, entries),
    unknown: readings.find(({ unknown }) => unknown !== undefined)?.unknown,
    ...readings.reduce<PlanEstimate>(besideEachOther, NOTHING),
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
