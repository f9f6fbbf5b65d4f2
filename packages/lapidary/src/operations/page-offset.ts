import type { CursorPoint } from '../cursor/cursor.ts'
import type { Execution } from '../executor/execute.ts'
import type { Query } from '../model/query.ts'

/** How a page was found. */
interface FoundBy {
  readonly point: CursorPoint | undefined
  /** Null when by cursor. */
  readonly number: number | null
  /** Items of the query by the page index, where that told the page's place. */
  readonly total: number | undefined
  /** Whether the items before the page were read with it. */
  readonly isSliced: boolean
}

/**
 * Items of the query before those of a page, as far as that is known without a read: of a page by its number, and counted on from there by
 * cursors. Undefined where it is not known.
 */
export function offsetOf(
  query: Query,
  { point, number, total, isSliced }: FoundBy,
  { heads, more }: Pick<Execution, 'heads' | 'more'>,
): number | undefined {
  // A cursor does not know the function that judged, and may go on without it.
  if (query.having !== undefined) return undefined
  // Past the end, all items are before it.
  if (number !== null) return Math.min((number - 1) * query.limit, isSliced ? heads.length : (total ?? 0))
  if (point === undefined || point.direction === 'forward') return point?.offset
  // What was counted is another number where items came or went; at the start it is known anew.
  if (!more) return 0
  const offset = (point.offset ?? 0) - heads.length
  return offset > 0 ? offset : undefined
}

/** The number of the page that has so many items before it; null where it is none of the pages that have numbers. */
export function numberAt(offset: number | undefined, { limit }: Query): number | null {
  return offset === undefined || offset % limit !== 0 ? null : offset / limit + 1
}
