import type { CursorPoint } from '../cursor/cursor.ts'
import type { Query } from '../model/query.ts'
import type { Beside } from '../planner/beside.ts'
import type { RecentLists } from '../planner/estimates.ts'
import type { Plan, RejectedPlan } from '../planner/plan.ts'
import type { IndexedTotal } from './asked-total.ts'
import type { ReadContext } from './context.ts'

/** The place where a page begins. */
export type Start = First | After | AtRank | Slice

/** At the first item of the query. */
export interface First {
  readonly kind: 'first'
}

/** Behind the items that a cursor has seen. */
export interface After {
  readonly kind: 'after'
  readonly point: CursorPoint
}

/** At the item of a rank, where the page index has found it; past the end, behind the last item of all. */
export interface AtRank {
  readonly kind: 'rank'
  readonly number: number
  /** Undefined where the query has no items. */
  readonly point: CursorPoint | undefined
  /** The whole query by the page index. */
  readonly indexed: IndexedTotal
  /** The items that the lists give there, as far as the page index has read them. */
  readonly near: RecentLists | undefined
  /** Finding it, and whatever was tried before. */
  readonly besides: readonly Beside[]
}

/** At the item of a rank, by reading the items before it with those of the page and leaving them out. */
export interface Slice {
  readonly kind: 'slice'
  readonly number: number
  /** How many items are left out. */
  readonly items: number
  /** Reads them and the page. */
  readonly plan: Plan
  /** The way by the page index, which was dearer. */
  readonly instead: RejectedPlan
}

/** @throws {LapidaryError} `cursor_invalid`, `cursor_mismatch`. */
export function startAfter(
  { collection, cursors }: ReadContext,
  query: Query,
  cursor: string | null | undefined,
): Start {
  if (cursor === undefined || cursor === null) return { kind: 'first' }
  return { kind: 'after', point: cursors.decode(collection, query, cursor) }
}

/** The place in the lists from which on they are read; undefined for their beginning. */
export function pointOf(start: Start): CursorPoint | undefined {
  return start.kind === 'after' || start.kind === 'rank' ? start.point : undefined
}

/** The number of the page; null where a cursor led to it. */
export function numberOf(start: Start): number | null {
  if (start.kind === 'first') return 1
  return start.kind === 'after' ? null : start.number
}

/** How many items are read before the page and left out. */
export function skippedBy(start: Start): number {
  return start.kind === 'slice' ? start.items : 0
}
