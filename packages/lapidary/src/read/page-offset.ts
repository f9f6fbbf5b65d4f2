import type { Execution } from '../executor/execute.ts'
import type { Query } from '../model/query.ts'
import type { Start } from './start.ts'

/**
 * Items of the query before those of a page, as far as that is known without a read: of a page by its number, and counted on from there by
 * cursors. Undefined where it is not known.
 */
export function offsetOf(
  query: Query,
  start: Start,
  { heads, more }: Pick<Execution, 'heads' | 'more'>,
): number | undefined {
  // A cursor does not know the function that judged, and may go on without it.
  if (query.having !== undefined) return undefined
  if (start.kind === 'first') return 0
  // Past the end, all items are before it.
  if (start.kind === 'slice') return Math.min(start.items, heads.length)
  if (start.kind === 'rank') return Math.min((start.number - 1) * query.limit, start.indexed.total)
  const { point } = start
  if (point.direction === 'forward') return point.offset
  // The count is another number where items came or went; at the start it is known anew.
  if (!more) return 0
  const offset = (point.offset ?? 0) - heads.length
  return offset > 0 ? offset : undefined
}

/** The number of the page that has so many items before it; null where it is none of the pages that have numbers. */
export function numberAt(offset: number | undefined, { limit }: Query): number | null {
  return offset === undefined || offset % limit !== 0 ? null : offset / limit + 1
}
