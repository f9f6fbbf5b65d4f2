import { loadedLists } from '../../loaded-lists.ts'
import type { PageStore } from '../../sorted-lists.ts'
import { loadTrees } from '../../tree/load-trees.ts'
import { sizeOf, treePrice } from '../../tree/tree-price.ts'

/** The store's name. */
export const SEGMENTS = 'dynamodb'

/**
 * Sorted lists in the table itself: for each scope a counted tree whose nodes are items of up to 1 KB, and for each shard the last
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
      loadedLists(
        SEGMENTS,
        async () => {
          const [openTrees, { dynamodbNodes }, { KnownNodes }] = await Promise.all([
            loadTrees(),
            import('./dynamodb-nodes.ts'),
            import('./known-nodes.ts'),
          ])
          const nodes = dynamodbNodes(table, namespace, clock)
          const remembering = dynamodbNodes(table, namespace, clock, new KnownNodes())
          return openTrees(nodes, { namespace, waiting: table, clock, remembering })
        },
        { price: ({ entries, ...shape }) => treePrice(sizeOf(entries), shape) },
      ),
  }
}
