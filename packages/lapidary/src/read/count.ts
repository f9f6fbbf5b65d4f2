import { countedByDay } from '../derived/counts/counts-by-day.ts'
import { isCounted } from '../derived/counts/counts-shape.ts'
import type { ScopeStatistics } from '../derived/counts/scope-counts.ts'
import type { Collection } from '../model/collection.ts'
import { dividedDecimal } from '../model/decimal.ts'
import { LapidaryError } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import {
  type Filter,
  knownSelection,
  parseQuery,
  type Query,
  type QueryInput,
  type Selection,
  scopesOf,
} from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { ReadContext } from './context.ts'
import { type CountOptions, requireByDay, requireCountedBeside, requireCountOptions } from './count-options.ts'
import { readSeries, requireSeries } from './count-series.ts'
import { readAcross, shardNames } from './further-counts.ts'
import { readCounts } from './query-counts.ts'
import { type ToldNumber, toldAverage, toldSum } from './told-number.ts'

/** What the items that pass a filter have of an attribute together. */
export interface Summed<Sum extends ToldNumber = ToldNumber> {
  /**
   * The exact sum: a text with all digits where the attribute's numbers are decimals, a bigint where they are bigints, else the nearest number of
   * JavaScript.
   */
  readonly sum: Sum
  /** Rounded to 38 digits, and a text, where the attribute's numbers are decimals; else the nearest number. Null where no item has the attribute. */
  readonly average: (Sum extends string ? string : number) | null
  /** How many of the items have the attribute. */
  readonly count: number
}

/** A part of a time line. */
export interface CountedPart<Sums = Readonly<Record<string, Summed>>> {
  /** Its first day, or the first that was asked for: `2026-01-31`. */
  readonly from: string
  readonly total: number
  readonly sums: Sums
}

/** How many items pass a filter, without reading any. */
export interface Counts<Sums = Readonly<Record<string, Summed>>> {
  /** Null where it is not known, see `unknown`. */
  readonly total: number | null
  /** For each counted facet, or each that was asked for, the count of each of its values, not narrowed by the facet's own selection; null where none are known. */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>> | null
  /** Of each attribute that was asked for; null where nothing is known. */
  readonly sums: Sums | null
  /** The parts of a time line, where it was asked for with `every`, those without an item too; null where nothing is known. */
  readonly series: readonly CountedPart<Sums>[] | null
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
 * Counts from the statistics of scopes, of all together, or by day.
 *
 * @throws {LapidaryError} `not_implemented` when no change stream keeps statistics, `unprocessable` for a wrong filter, a range,
 * a facet that is not counted, an attribute that is not summed or days that are not counted.
 */
export async function countItems(context: ReadContext, input: QueryInput, options: CountOptions = {}): Promise<Counts> {
  const { collection, further = {} } = context
  const isOfAll = input.scope === undefined && further.across !== undefined
  const query = parseQuery(collection, isOfAll ? { ...input, scope: ANY_SCOPE } : input)
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
  requireCounted(collection, query.where)
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
  requireByDay(collection, query.where)
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
  requireCounted(collection, where)
  const chosen = knownSelection(where, statistics.values)
  requireCountedBeside(collection, options, chosen)
  return {
    total: statistics.count(chosen),
    facets: facetCounts(collection, statistics, chosen, options.by),
    sums: sumsOf(collection, statistics, chosen, options.sums ?? []),
  }
}

/** @throws {LapidaryError} `unprocessable` for a filter of which counts don't say how many items it lets through. */
function requireCounted(collection: Collection, where: Filter): void {
  const uncounted = Object.keys(where).find((facet) => !isCounted(collection, { [facet]: [] }))
  if (uncounted !== undefined) {
    throw new LapidaryError(
      'unprocessable',
      `${uncounted} is declared with counted: false, so its values have no counts; leave it out, or declare it counted and rebuild the counts`,
    )
  }
  const each = Object.keys(where).filter((facet) => ownValue(collection.facets, facet)?.kind === 'eachOf')
  if (!isCounted(collection, where)) {
    throw new LapidaryError(
      'unprocessable',
      `an item may have several values of ${each.join(' and ')}, and counts know the items of one value, not of several together; ask for one`,
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
  attributes: readonly string[],
): Readonly<Record<string, Summed>> {
  const summed = attributes.map((attribute): [string, Summed] => {
    const { sum, count } = statistics.sum(attribute, chosen)
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
  by: readonly string[] = Object.keys(collection.facets),
): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const names = by.filter((facet) => isCounted(collection, { ...where, [facet]: [null] }))
  return Object.fromEntries(names.map((facet) => [facet, statistics.facetCounts(facet, where)]))
}
