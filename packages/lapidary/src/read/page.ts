import type { Item } from '../model/collection.ts'
import type { Entry } from '../model/entry-bytes.ts'
import type { Query } from '../model/query.ts'
import { type ExplainedPlan, explainPlan } from '../planner/explain.ts'
import type { Along } from './along.ts'
import type { ReadContext } from './context.ts'
import { cursorsOf, type PageCursors } from './page-cursors.ts'
import { numberAt, offsetOf } from './page-offset.ts'
import type { Run } from './run.ts'
import { numberOf, pointOf, type Start, skippedBy } from './start.ts'
import { totalsOf } from './totals.ts'

/** One page of a list. */
export interface Page<I> {
  readonly items: readonly I[]
  readonly page: {
    /** From 1; null when the page was reached by cursor. */
    readonly number: number | null
    /**
     * The number of a page that was reached by cursor, counted on from the page where the cursors began: what came or went
     * before it since is not in it. Null where that is not known, where the page is no whole number of pages on, and of a page by number.
     */
    readonly about: number | null
    /** Pages of the whole filter; null where they are not counted, see `total`. */
    readonly count: number | null
    /** Items of the whole filter; null without statistics and for a range that goes beyond the page. */
    readonly total: number | null
    readonly size: number
  }
  readonly cursors: PageCursors
  /**
   * Counts for each value of each facet that are known: of no facet that is declared with `counted: false`, and where such a one narrows, or
   * several values of an `eachOf` facet do, of none but the latter itself. Null without statistics, for a range, and where none are known.
   */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>> | null
  /**
   * Up to when `facets` are counted, or, where that is earlier, up to when the page index is that a page was found by; null where neither is
   * known.
   */
  readonly asOf: string | null
  /** How the page was found and what that took. */
  readonly plan: ExplainedPlan
}

/** Makes a page of what was read of its lists and of what is counted. */
export function pageOf(
  context: ReadContext,
  query: Query,
  start: Start,
  { plan, execution }: Run,
  { counted, indexed: asked, besides, lacking }: Along,
  toItem: (entry: Entry) => Item,
): Page<Item> {
  const skipped = skippedBy(start)
  const number = numberOf(start)
  const indexed = start.kind === 'rank' ? start.indexed : asked
  const isFirst = pointOf(start) === undefined
  const { total, count, facets, asOf } = totalsOf(context, query, counted, execution, { isFirst, indexed })
  const offset = offsetOf(query, start, execution)
  const stoppedBy = execution.stoppedBy ?? lacking
  return {
    items: execution.heads.slice(skipped).map(({ entry }) => toItem(entry)),
    page: { number, about: number === null ? numberAt(offset, query) : null, count, total, size: query.limit },
    cursors: cursorsOf(context, query, pointOf(start), execution, { skipped, offset }),
    facets,
    asOf,
    plan: explainPlan(
      plan,
      { ...execution, stoppedBy },
      {
        besides,
        unknown: counted?.unknown && { what: 'counts', reason: counted.unknown },
        skip: start.kind === 'slice' ? start : undefined,
      },
    ),
  }
}
