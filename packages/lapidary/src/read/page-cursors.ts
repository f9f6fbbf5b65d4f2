import { boundBeyond, type CursorPoint, type Direction, isAscending } from '../cursor/cursor.ts'
import type { Execution } from '../executor/execute.ts'
import { once } from '../model/once.ts'
import { type Bound, boundPast } from '../model/position.ts'
import type { Query } from '../model/query.ts'
import type { ReadContext } from './context.ts'

/** The ways on from a page. */
export interface PageCursors {
  /** Null exactly at the end. */
  readonly next: string | null
  /** Null exactly at the start. */
  readonly previous: string | null
}

/**
 * In the direction of the read, the look-ahead item decides. The other way there is the page that the cursor came from; if
 * this page is empty, that one begins at the cursor's own bound, or behind the last item that there is.
 */
export function cursorsOf(
  { collection, cursors }: ReadContext,
  query: Query,
  point: CursorPoint | undefined,
  { heads, more, frontier }: Execution,
  { skipped, offset }: { readonly skipped: number; readonly offset: number | undefined },
): PageCursors {
  const onwards: Direction = point?.direction ?? 'forward'
  const back: Direction = onwards === 'forward' ? 'backward' : 'forward'
  const passed = offset === undefined ? undefined : offset + Math.max(0, heads.length - skipped)
  const encode = (direction: Direction, bound: Bound): string =>
    cursors.encode(collection, query, { direction, bound, offset: direction === 'forward' ? passed : offset })
  const nearest = heads[onwards === 'forward' ? skipped : heads.length - 1]?.position
  const ahead = once(() =>
    more && frontier !== undefined ? encode(onwards, boundBeyond(query, onwards, frontier)) : null,
  )
  const last = skipped > 0 ? heads.at(-1)?.position : undefined
  const end = point?.bound ?? (last && boundPast(last, isAscending(query, 'forward')))
  const behind = once(() =>
    end === undefined ? null : encode(back, nearest === undefined ? end : boundBeyond(query, back, nearest)),
  )
  const [next, previous] = onwards === 'forward' ? [ahead, behind] : [behind, ahead]
  // Most callers go one way, and a signature takes as long as reading several items.
  return {
    get next() {
      return next()
    },
    get previous() {
      return previous()
    },
  }
}
