import { pageMarkers, segments, tableFor } from 'lapidary'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { loadedColumns } from '../../src/pages/columns/loaded-columns.ts'
import type { ListChange, RankQuestion, SortedLists } from '../../src/pages/sorted-lists.ts'
import { createTable } from '../../src/schema/create-table.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { comments } from '../comments-fixture.ts'

const client = createTestClient(testEngines()[0] as never)
const tableName = uniqueTableName()
beforeAll(() => createTable(client, tableFor({ tableName, collections: { comments } })))
afterAll(() => dropTables(client, [tableName]))

const ALL: RankQuestion = {
  ...{ groups: ['42'], includes: () => true, lower: undefined, upper: undefined },
  ...{ ascending: true, offset: 0 },
}
const table = createTableClient({ client, tableName, random: Math.random, sleep: async () => undefined })
const STORES: readonly (readonly [name: string, open: (namespace: string) => SortedLists])[] = [
  ...[segments(), pageMarkers()].map(
    (store) =>
      [
        store.name,
        (namespace: string) => store.open({ table, namespace: store.name + namespace, clock: Date.now }),
      ] as const,
  ),
  ['columns', (namespace) => loadedColumns(table, { namespace: `columns.${namespace}`, clock: Date.now, facets: [] })],
]

const added = (sequenceNumber: string): ListChange => ({
  sequenceNumber,
  steps: [{ op: 'add', group: '42', cell: '', place: { score: Number(sequenceNumber), member: sequenceNumber } }],
})

test.each(STORES.flatMap(([name, open]) => [false, true].map((wasMade) => [name, wasMade, open] as const)))(
  'of changes that were passed over, a process that still has some in hand brings none into %s (made before: %s)',
  async (_, wasMade, open) => {
    const [lists, late] = [open(String(wasMade)), open(String(wasMade))]
    if (wasMade) {
      await lists.create()
      await late.apply('shard', [added('100')])
    }
    await lists.pass?.('shard', '500')
    await lists.pass?.('shard', '300')
    const filling = await lists.fill()
    await late.apply('shard', [added('200'), added('500')])
    await filling.finish()
    await late.apply('shard', [added('400')])
    expect((await lists.select(ALL)).total).toBe(0)
    await late.apply('shard', [added('501')])
    expect((await lists.select(ALL)).total).toBe(1)
  },
)
