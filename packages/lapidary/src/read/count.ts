import { isCounted } from '../derived/counts/counts-shape.ts'
import type { ScopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { type Condition, facetsOf } from '../model/condition.ts'
import { dividedDecimal } from '../model/decimal.ts'
import { LapidaryError } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import { type Filter, knownSelection, parseQuery, type Query, type QueryInput, type Selection } from '../model/query.ts'
import type { ReadContext } from './context.ts'
import { type CountOptions, requireColumnOptions, requireCountedBeside, requireCountOptions } from './count-options.ts'
import type { Counts, Summed } from './counts.ts'
import { readCounts } from './query-counts.ts'
import { toldAverage, toldSum } from './told-number.ts'

/**
 * Counts from the statistics of a scope.
 *
 * @throws {LapidaryError} `not_implemented` when no change stream keeps statistics, `unprocessable` for a wrong filter, a range
 * a facet that is not counted
 * or an attribute that is not summed.
 */
export async function countItems(context: ReadContext, input: QueryInput, options: CountOptions = {}): Promise<Counts> {
  const { collection } = context
  const query = parseQuery(collection, input)
  if (context.columns !== undefined && !countersTell(context, query, options)) {
    requireColumnOptions(collection, options)
    return context.columns.count(context, query, options)
  }
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
  requireCountOptions(collection, options)
  const counts = readCounts(context, query)
  if (counts === undefined) throw new LapidaryError('unprocessable', 'nothing counts all scopes together; name some')
  const { statistics, unknown, asOf, rcu } = await counts
  if (unknown !== undefined) return { total: null, facets: null, sums: null, asOf: null, unknown, rcu }
  const where = countedBy(query, statistics)
  requireCounted(collection, where, query.also)
  const chosen = knownSelection(where, statistics.values)
  requireCountedBeside(collection, options, chosen, query.also)
  const facets = facetCounts(collection, statistics, chosen, { also: query.also, by: options.by })
  const sums = sumsOf(collection, statistics, chosen, { also: query.also, attributes: options.sums ?? [] })
  return { total: statistics.count(chosen, query.also), facets, sums, asOf, unknown: null, rcu }
}

/** Whether counters have what is asked. */
function countersTell(
  { collection, statistics }: ReadContext,
  { where, also, from, to }: Query,
  { by = [] }: CountOptions,
): boolean {
  return (
    statistics !== undefined &&
    from === undefined &&
    to === undefined &&
    isCounted(collection, where, also) &&
    by.every((facet) => isCounted(collection, { ...where, [facet]: [null] }, also))
  )
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

function sumsOf(
  collection: Collection,
  statistics: ScopeStatistics,
  chosen: Selection,
  { also, attributes }: { readonly also: Condition | undefined; readonly attributes: readonly string[] },
): Readonly<Record<string, Summed>> {
  const summed = attributes.map((attribute): [string, Summed] => {
    const { sum, count } = statistics.sum(attribute, chosen, also)
    const average = count > 0 ? toldAverage(collection, attribute, dividedDecimal(sum, count)) : null
    return [attribute, { sum: toldSum(collection, attribute, sum), average, count }]
  })
  return Object.fromEntries(summed)
}

/**
 * Counts for each value of each facet by which the selection is counted, whatever is chosen of that facet itself.
 *
 * @param by The facets that are wanted; all when not given.
 */
export function facetCounts(
  collection: Collection,
  statistics: ScopeStatistics,
  where: Selection,
  {
    also,
    by = Object.keys(collection.facets),
  }: { readonly also: Condition | undefined; readonly by?: readonly string[] | undefined },
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const names = by.filter((facet) => isCounted(collection, { ...where, [facet]: [null] }, also))
  return Object.fromEntries(names.map((facet) => [facet, statistics.facetCounts(facet, where, also)]))
}
