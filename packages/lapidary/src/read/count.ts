import { countedByDay } from '../derived/counts/counts-by-day.ts'
import { isCounted } from '../derived/counts/counts-shape.ts'
import type { ScopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { type Condition, facetsOf } from '../model/condition.ts'
import { dayStart, isZone, UTC } from '../model/day.ts'
import { dividedDecimal } from '../model/decimal.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import {
  type Filter,
  knownSelection,
  listsAllScopes,
  parseQuery,
  type Query,
  type QueryInput,
  type Selection,
  scopesOf,
} from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { ReadContext } from './context.ts'
import {
  type CountOptions,
  requireByDay,
  requireColumnOptions,
  requireCountedBeside,
  requireCountOptions,
} from './count-options.ts'
import { readSeries, requireSeries, requireSpan } from './count-series.ts'
import type { CountedPart, Counts, Summed } from './counts.ts'
import { readAcross, shardNames } from './further-counts.ts'
import { readCounts } from './query-counts.ts'
import { toldAverage, toldSum } from './told-number.ts'

/**
 * Counts from the statistics of scopes, of all together, or by day.
 *
 * @throws {LapidaryError} `not_implemented` when no change stream keeps statistics, `unprocessable` for a wrong filter, a range,
 * a facet that is not counted, an attribute that is not summed or days that are not counted.
 */
export async function countItems(context: ReadContext, input: QueryInput, options: CountOptions = {}): Promise<Counts> {
  const { collection, further = {} } = context
  const isOfAll = input.scope === undefined && further.across !== undefined
  if (input.scope === undefined && !isOfAll && !listsAllScopes(collection)) refuseWithoutScope(collection)
  const query = parseQuery(collection, isOfAll ? { ...input, scope: ANY_SCOPE } : input)
  if (context.columns !== undefined && !isOfAll && !countersTell(context, query, options)) {
    requireColumnOptions(collection, options)
    const { from, to, ...counting } = options.every === undefined ? options : inDays(collection, options)
    const range = options.every === undefined ? { from, to } : instantsOf(counting.zone ?? UTC, { from, to })
    return context.columns.count(context, parseQuery(collection, { ...input, ...range }), { from, to, ...counting })
  }
  if (context.statistics === undefined) {
    throw new LapidaryError(
      'not_implemented',
      'there are no statistics to count from; run the change stream and say `derived: { counts: true }`',
    )
  }
  if (options.every !== undefined) return countOverTime(context, query, options, isOfAll)
  if (options.from !== undefined || options.to !== undefined || options.zone !== undefined) {
    throw new LapidaryError(
      'unprocessable',
      'statistics count whole lists, not ranges; leave out from and to, or count by days with every',
    )
  }
  requireCounted(collection, query.where, query.also)
  requireCountOptions(collection, options)
  const counts = isOfAll && further.across ? readAcross(collection, further.across) : readCounts(context, query)
  if (counts === undefined) {
    throw new LapidaryError(
      'unprocessable',
      'nothing counts all scopes together; name some, or declare statistics: { across: 1 }',
    )
  }
  const { statistics, unknown, asOf, rcu } = await counts
  if (unknown !== undefined) return nothingKnown(unknown, rcu)
  return { ...told(collection, query, statistics, options), series: [], asOf, unknown: null, rcu }
}

function refuseWithoutScope({ scope, statistics }: Collection): never {
  const advice =
    statistics.across === undefined ? 'declare statistics: { across: 1 }' : 'say `derived: { counts: true }`'
  const message = `is missing: the query names no scope (on the command line --scope); give one, or ${advice} to count all scopes together`
  throw unprocessable('the query was refused', [{ path: scope.attribute, message }])
}

/** Stands for a scope in a query that names none. */
const ANY_SCOPE = 'any'

/** Counts by day, of the facets that days are counted by. */
async function countOverTime(
  context: ReadContext,
  query: Query,
  options: CountOptions,
  isOfAll: boolean,
): Promise<Counts> {
  const { further = {}, statistics } = context
  const collection = countedByDay(context.collection)
  requireSeries(collection, options)
  requireByDay(collection, query)
  requireCountOptions(collection, options)
  const shape = isOfAll ? further.byDayAcross : further.byDay
  const groups = isOfAll ? shardNames(collection) : scopesOf(query)
  if (shape === undefined || groups.length === 0) {
    throw new LapidaryError(
      'unprocessable',
      'nothing counts all scopes together; name some, or declare statistics: { across: 1 }',
    )
  }
  const { whole, parts, unknown, rcu } = await readSeries(context, shape, groups, options)
  if (unknown !== undefined) return nothingKnown(unknown, rcu)
  const series = parts.map(({ from, statistics }): CountedPart => {
    const { total, sums } = told(collection, query, statistics, { by: [], sums: options.sums })
    return { from, total, sums }
  })
  const times = [whole.asOf, statistics?.caughtUpAt()].filter((time) => typeof time === 'string').toSorted()
  const asOf = times.at(-1) ?? null
  return { ...told(collection, query, whole, options), series, asOf, unknown: null, rcu }
}

function nothingKnown(unknown: UnknownReason, rcu: number): Counts {
  return { total: null, facets: null, sums: null, series: null, asOf: null, unknown, rcu }
}

interface Told extends Omit<CountedPart, 'from'> {
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>>
}

function told(collection: Collection, query: Query, statistics: ScopeStatistics, options: CountOptions): Told {
  const where = countedBy(query, statistics)
  requireCounted(collection, where, query.also)
  const chosen = knownSelection(where, statistics.values)
  requireCountedBeside(collection, options, chosen, query.also)
  return {
    total: statistics.count(chosen, query.also),
    facets: facetCounts(collection, statistics, chosen, { also: query.also, by: options.by }),
    sums: sumsOf(collection, statistics, chosen, { also: query.also, attributes: options.sums ?? [] }),
  }
}

/** @throws {LapidaryError} `unprocessable` for days that there are not. */
function inDays({ statistics: { days } }: Collection, options: CountOptions): CountOptions {
  const { zone = days?.zone ?? UTC } = options
  const issue = { path: 'zone', message: `must be a zone, as UTC or Europe/Berlin, not ${shown(zone)}` }
  requireSpan(options, isZone(zone) ? [] : [issue])
  return { ...options, zone }
}

function instantsOf(zone: string, range: Pick<CountOptions, 'from' | 'to'>): Pick<CountOptions, 'from' | 'to'> {
  const at = (day: string | undefined) => day && new Date(dayStart(zone)(day)).toISOString()
  return { from: at(range.from), to: at(range.to) }
}

/** Whether counters have what is asked, or columns have not: these know the times that lists are ordered by, in the days of any zone. */
function countersTell(context: ReadContext, query: Query, options: CountOptions): boolean {
  const { collection, statistics } = context
  const { where, also } = query
  const { by = [], every, from, to, zone } = options
  if (every !== undefined) {
    const { days } = collection.statistics
    if (collection.order.type !== 'time' || (days !== undefined && days.attribute !== collection.order.attribute))
      return true
    const { facets } = countedByDay(collection)
    const named = [...by, ...Object.keys({ ...where, ...query.whole }), ...(also === undefined ? [] : facetsOf(also))]
    const isCountedByDay = named.every((facet) => Object.hasOwn(facets, facet)) && isCounted(collection, where, also)
    return statistics !== undefined && days !== undefined && isCountedByDay && (zone ?? days.zone) === days.zone
  }
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
