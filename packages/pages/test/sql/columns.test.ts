import { PGlite } from '@electric-sql/pglite'
import { oneOf } from 'lapidary'
import { describeSortedListsConformance } from 'lapidary-testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { COLUMN_SIZES, type ColumnSizes } from '../../../lapidary/src/pages/columns/column-sizes.ts'
import { openColumns } from '../../../lapidary/src/pages/columns/open-columns.ts'
import { nodesOf } from '../../src/sql/sql-nodes.ts'
import { contextOf, sendTo } from './setting.ts'

const SMALL: ColumnSizes = { ...COLUMN_SIZES, blockRows: 6, deltaBytes: 40, chunkBytes: 40, mostChunks: 5 }
const FACETS = ['language', 'rating'].map((name) => ({ name, facet: oneOf() }))

let opened = 0
let embedded: PGlite
beforeAll(async () => {
  embedded = await PGlite.create()
})
afterAll(() => embedded?.close())

for (const [name, sizes, runs] of [
  ['columns in PGlite', COLUMN_SIZES, 10],
  ['small columns in PGlite', SMALL, 5],
] as const) {
  describeSortedListsConformance({
    ...{ name, describe, it, runs, most: 1_200 },
    open: async () => {
      const context = contextOf(`C${opened++}`)
      const nodes = nodesOf(sendTo(embedded), { name: 'postgres', schema: 'lapidary', sizes: undefined })(context)
      const columns = openColumns(nodes, { ...context, waiting: context.table, facets: FACETS, sizes })
      return { ...columns, name, close: async () => undefined }
    },
  })
}
