import { anyOf, createLapidary, defineCollection, pageMarkers, segments } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { afterAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { schemaOf } from '../comments-fixture.ts'

type Listing = { readonly id: string; readonly region: string; readonly listedAt: string; readonly price: number }

const listings = defineCollection({
  name: 'LISTING',
  schema: schemaOf<Listing>(),
  id: 'id',
  scope: { name: 'REGION', attribute: 'region' },
  order: 'listedAt',
  facets: { price: anyOf('number', { counted: false }) },
  indexes: { all: {} },
})

const [engine] = testEngines()
const client = createTestClient(engine ?? never())
const tableNames = [uniqueTableName(), uniqueTableName(), uniqueTableName()] as const
const all = Array.from({ length: 120 }, (_, i): Listing => {
  const listedAt = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()
  return { id: `l${i}`, region: 'north', listedAt, price: i % 10 }
})

function never(): never {
  throw new Error('no engine')
}

/** A process that knows the lists of a table without items to be complete, and then makes them anew. */
async function rebuiltHere(tableName: string, derived: object) {
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { listings }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, ...derived }, stream: { immediate: true } },
  })
  await lapidary.table.create()
  const before = await lapidary.listings.page(1, { scope: 'north', where: { price: 3 } })
  expect(before.items).toEqual([])
  await importItems(lapidary.listings, all, { derived: 'now' })
  return lapidary
}

afterAll(() => dropTables(client, tableNames))

test('a process that has rebuilt columns answers by what it has made, at once', async () => {
  const lapidary = await rebuiltHere(tableNames[0], { columns: true })
  expect(await lapidary.listings.count({ scope: 'north', where: { price: { from: 3, to: 5 } } })).toMatchObject({
    total: 24,
  })
})

test.each([
  ['segments', tableNames[1], segments()],
  ['markers', tableNames[2], pageMarkers()],
] as const)('a process that has rebuilt a page index in %s answers by it, at once', async (_, tableName, pages) => {
  const lapidary = await rebuiltHere(tableName, { pages })
  const { items, page } = await lapidary.listings.page(3, { scope: 'north', limit: 50 })
  expect([items.length, page.total]).toEqual([20, 120])
})
