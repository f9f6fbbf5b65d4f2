import { PGlite } from '@electric-sql/pglite'
import { relationalLists } from 'lapidary-pages'
import { describeSortedListsConformance } from 'lapidary-testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { SMALL_SIZES } from '../../../lapidary/test/pages/memory-nodes.ts'
import { relationalListsOf } from '../../src/sql/relational-lists.ts'
import { contextOf, openPostgres, type PostgresSetting, sendTo } from './setting.ts'

let opened = 0
let embedded: PGlite
let real: PostgresSetting
beforeAll(async () => {
  embedded = await PGlite.create()
  real = await openPostgres()
})
afterAll(async () => {
  await embedded?.close()
  await real?.[Symbol.asyncDispose]()
})

const CLIENTS = [
  { name: 'PGlite', client: () => embedded },
  { name: 'a real PostgreSQL', client: () => real.pool },
]

for (const { name, client } of CLIENTS) {
  describeSortedListsConformance({
    ...{ name, describe, it },
    open: async () => relationalLists({ query: sendTo(client()) }).open(contextOf(`T${opened++}`)),
  })

  describeSortedListsConformance({
    ...{ name: `${name} with small nodes`, describe, it, most: 1_200 },
    open: async () =>
      relationalListsOf({ query: sendTo(client()), schema: 'small "nodes"' }, SMALL_SIZES).open(
        contextOf(`T${opened++}`),
      ),
  })
}
