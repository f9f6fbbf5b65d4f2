import { loadedLists } from '../../loaded-lists.ts'
import type { PageStore } from '../../sorted-lists.ts'
import { sizeOf, treePrice } from './tree-price.ts'

/** What the store is called. */
export const SEGMENTS = 'dynamodb'

/**
 * Sorted lists in the table itself: for each scope a tree of two levels whose nodes are items of 1 KB, and for each shard the last
 * change that is in, written with it in one transaction.
 *
 * @example
 * ```ts run
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, derived: { pages: segments() } })
 * ```
 */
export function segments(): PageStore {
  return {
    name: SEGMENTS,
    open: ({ table, namespace, clock }) =>
      loadedLists(SEGMENTS, async () => (await import('./open-trees.ts')).openTrees(table, namespace, clock), {
        price: ({ entries, ...shape }) => treePrice(sizeOf(entries), shape),
      }),
  }
}
