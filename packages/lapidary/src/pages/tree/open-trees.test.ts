import { describeSortedListsConformance } from 'lapidary-testing'
import { describe, it } from 'vitest'
import { memoryNodes, SMALL_SIZES } from '../../../test/pages/memory-nodes.ts'
import type { SortedLists } from '../sorted-lists.ts'
import type { NodeStore } from './node-store.ts'
import { openTrees } from './open-trees.ts'

const waiting = { random: () => 0.5, sleep: async () => undefined }
const opened = (store: NodeStore): SortedLists => ({
  ...openTrees(store, { namespace: 'T', waiting, clock: () => 0 }),
  name: 'memory nodes',
  close: async () => undefined,
})

for (const [name, sizes] of [
  ['nodes of the usual size', undefined],
  ['small nodes', SMALL_SIZES],
] as const) {
  describeSortedListsConformance({
    name,
    describe,
    it,
    ...(sizes === undefined ? {} : { most: 1_200 }),
    runs: 30,
    open: async () => opened(memoryNodes(sizes && { sizes })),
  })
}
