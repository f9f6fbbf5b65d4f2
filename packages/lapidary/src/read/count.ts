import { isCounted } from '../derived/counts/counts-shape.ts'
import type { ScopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { type Condition, facetsOf } from '../model/condition.ts'
import { LapidaryError } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import { type Filter, knownSelection, parseQuery, type Query, type QueryInput, type Selection } from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { ReadContext } from './context.ts'
import { readCounts } from './query-counts.ts'

/** How many items pass a filter, without reading any. */
export interface Counts {
  /** Null where it is not known, see `unknown`. */
  readonly total: number | null
  /** For each counted facet, the count of each of its values, not narrowed by the facet's own selection; null where none are known. */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>> | null
  /** Up to when changes are counted, as ISO 8601; null when none ever was, and where nothing is known. */
  readonly asOf: string | null
  /**
   * Why nothing is known: counts of this declaration were never made (`absent`), they are being made (`filling`), a process that could not
   * keep them has counted past them (`abandoned`), the change stream has lost changes (`gap`), or no process has ever followed it (`uncounted`).
   * Null where they are known.
   */
  readonly unknown: UnknownReason | null
  /** RCU of the read; 0 when the counts were read a moment ago. */
  readonly rcu: number
}

/**
 * Counts from the statistics of a scope.
 *
 * @throws {LapidaryError} `not_implemented` when no change stream keeps statistics, `unprocessable` for a wrong filter, a range
 * or a facet that is not counted.
 */
export async function countItems(context: ReadContext, input: QueryInput): Promise<Counts> {
  const { collection } = context
  const query = parseQuery(collection, input)
  const { from, to } = query
  if (context.statistics === undefined) {
    throw new LapidaryError(
      'not_implemented',
      'there are no statistics to count from; run the change stream and say `derived: { counts: true }`',
    )
  }
  if (from !== undefined || to !== undefined) {
    throw new LapidaryError('unprocessable', 'statistics count whole lists, not ranges; leave out from and to')
  }
  requireCounted(collection, query.where, query.also)
  const counts = readCounts(context, query)
  if (counts === undefined) throw new LapidaryError('unprocessable', 'nothing counts all scopes together; name some')
  const { statistics, unknown, asOf, rcu } = await counts
  if (unknown !== undefined) return { total: null, facets: null, asOf: null, unknown, rcu }
  const where = countedBy(query, statistics)
  requireCounted(collection, where, query.also)
  const chosen = knownSelection(where, statistics.values)
  const facets = facetCounts(collection, statistics, chosen, query.also)
  return { total: statistics.count(chosen, query.also), facets, asOf, unknown: null, rcu }
}

/** @throws {LapidaryError} `unprocessable` for a filter of which counts don't say how many items it lets through. */
function requireCounted(collection: Collection, where: Filter, also: Condition | undefined): void {
  const asked = [...Object.keys(where), ...(also === undefined ? [] : facetsOf(also))]
  const uncounted = asked.find((facet) => !isCounted(collection, { [facet]: [] }))
  if (uncounted !== undefined) {
    throw new LapidaryError(
      'unprocessable',
      `${uncounted} is declared with counted: false, so its values have no counts; leave it out, or declare it counted and rebuild the counts`,
    )
  }
  const each = [...new Set(asked)].filter((facet) => ownValue(collection.facets, facet)?.kind === 'eachOf')
  if (!isCounted(collection, where, also)) {
    throw new LapidaryError(
      'unprocessable',
      `an item may have several values of ${each.join(' and ')}, and counts know the items of one value, not of several together, nor of those without one; ask for one`,
    )
  }
}

/** Gives the filter by which counts answer a query: naming all values of a facet is none where the counts have no other. */
export function countedBy({ where, whole = {} }: Query, statistics: ScopeStatistics | undefined): Filter {
  const narrowing = Object.entries(whole).filter(([facet]) => statistics?.hasOthers(facet) !== false)
  return narrowing.length === 0 ? where : { ...where, ...Object.fromEntries(narrowing) }
}

/** Counts for each value of each facet by which the selection is counted, whatever is chosen of that facet itself. */
export function facetCounts(
  collection: Collection,
  statistics: ScopeStatistics,
  where: Selection,
  also: Condition | undefined,
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const names = Object.keys(collection.facets).filter((facet) =>
    isCounted(collection, { ...where, [facet]: [null] }, also),
  )
  return Object.fromEntries(names.map((facet) => [facet, statistics.facetCounts(facet, where, also)]))
}
