import { oneOf } from 'lapidary'
import { describeSortedListsConformance } from 'lapidary-testing'
import { describe, it } from 'vitest'
import { memoryNodes } from '../../../test/pages/memory-nodes.ts'
import type { SortedLists } from '../sorted-lists.ts'
import type { NodeStore } from '../tree/node-store.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { openColumns } from './open-columns.ts'

const waiting = { random: () => 0.5, sleep: async () => undefined }
const SMALL: ColumnSizes = {
  ...{ blockRows: 6, blockBytes: 1_000, columnBytes: 200, buriedBytes: 60 },
  ...{ deltaBytes: 40, chunkBytes: 40, mostChunks: 5 },
}
const FACETS = ['language', 'rating'].map((name) => ({ name, facet: oneOf() }))
let now = 0
const opened = (store: NodeStore, sizes: ColumnSizes | undefined): SortedLists => ({
  ...openColumns(store, { namespace: 'T', waiting, clock: () => ++now, facets: FACETS, ...(sizes && { sizes }) }),
  name: 'columns in memory nodes',
  close: async () => undefined,
})

for (const [name, sizes] of [
  ['columns of the usual size', undefined],
  ['small columns', SMALL],
] as const) {
  describeSortedListsConformance({
    ...{ name, describe, it, runs: 30, most: 1_200 },
    open: async () => opened(memoryNodes({ limits: { nodes: 90 } }), sizes),
  })
}
