import { LapidaryError } from '../model/errors.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import type { CollectionContext } from './context.ts'

/** How many items pass a filter, without reading any. */
export interface Counts {
  readonly total: number
  /** For each facet, the count of each of its values, not narrowed by the facet's own selection. */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Up to when changes are counted, as ISO 8601; null when none ever was. */
  readonly asOf: string | null
  /** RCU of the read; 0 when the counts were read a moment ago. */
  readonly rcu: number
}

/**
 * Counts from the statistics of a scope.
 *
 * @throws {LapidaryError} `not_implemented` when no change stream keeps statistics, `unprocessable` for a wrong filter or a
 * range, which statistics do not cover.
 */
export async function countItems(context: CollectionContext, input: QueryInput): Promise<Counts> {
  const { collection, statistics: reader } = context
  const { scope, where, from, to } = parseQuery(collection, input)
  if (reader === undefined) {
    throw new LapidaryError(
      'not_implemented',
      'there are no statistics to count from; run the change stream and say `derived: { counts: true }`',
    )
  }
  if (from !== undefined || to !== undefined) {
    throw new LapidaryError('unprocessable', 'statistics count whole lists, not ranges; leave out from and to')
  }
  const { statistics, asOf, rcu } = await reader.read(scope)
  const facets = Object.keys(collection.facets).map((facet) => [facet, statistics.facetCounts(facet, where)])
  return { total: statistics.count(where), facets: Object.fromEntries(facets), asOf, rcu }
}
