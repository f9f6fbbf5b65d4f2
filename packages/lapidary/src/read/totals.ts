import { isCounted } from '../derived/counts/counts-shape.ts'
import type { Execution } from '../executor/execute.ts'
import { isWhole, knownSelection, type Query } from '../model/query.ts'
import type { IndexedTotal } from './asked-total.ts'
import type { ReadContext } from './context.ts'
import { countedBy, facetCounts } from './count.ts'
import type { CountsReading } from './statistics.ts'

/** The counts of a page's query; null where they are not known. */
interface Totals {
  readonly total: number | null
  readonly count: number | null
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>> | null
  readonly asOf: string | null
}

/**
 * Totals and disjunctive facet counts. Counts are of all items: a query with a range has none, but a list that is wholly
 * on its first page tells its own total. Of counts, or a page index, that have fewer items than the page shows, all that is known is that
 * they are behind.
 */
export function totalsOf(
  { collection }: ReadContext,
  query: Query,
  counts: CountsReading | undefined,
  { heads, more, total: read }: Pick<Execution, 'heads' | 'more' | 'total'>,
  { isFirst, indexed }: { readonly isFirst: boolean; readonly indexed: IndexedTotal | undefined },
): Totals {
  const isTelling = counts?.unknown === undefined && isWhole(collection, query)
  const counted = isTelling ? counts?.statistics : undefined
  const seen = heads.length + (more ? 1 : 0)
  const narrowing = countedBy(query, counted)
  const isKnown = counted !== undefined && isCounted(collection, narrowing, query.also)
  const chosen = knownSelection(narrowing, (facet) => counted?.values(facet))
  const atLeastSeen = (count: number): number | null => (count < seen ? null : count)
  const known = isKnown ? atLeastSeen(counted.count(chosen, query.also)) : null
  const ofIndex = indexed && atLeastSeen(indexed.total)
  const isAllHere = isFirst && !more
  const ofColumns = read === undefined ? null : atLeastSeen(read)
  const told = ofIndex === undefined ? known : ofIndex
  const total = isAllHere ? heads.length : (told ?? ofColumns)
  const isBehind = isKnown && known === null && (!isAllHere || counted.count({}) === 0)
  const facets = counted === undefined || isBehind ? {} : facetCounts(collection, counted, chosen, { also: query.also })
  const isTold = (isKnown && !isBehind) || Object.keys(facets).length > 0
  // A page index in the table is written with the counts, and is as old; so are columns.
  const isAsOld =
    isTold || (!isAllHere && (ofColumns !== null || (indexed !== undefined && indexed.asOf === undefined)))
  return {
    total,
    count: total === null ? null : Math.ceil(total / query.limit),
    facets: isTold ? facets : null,
    asOf: earliest(isAsOld ? (counts?.asOf ?? null) : null, indexed?.asOf),
  }
}

function earliest(counted: string | null, indexedUntil: number | undefined): string | null {
  if (indexedUntil === undefined) return counted
  const indexed = new Date(indexedUntil).toISOString()
  return counted === null || indexed < counted ? indexed : counted
}
