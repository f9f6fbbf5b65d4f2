import { pageMarkers, segments, tableFor } from 'lapidary'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import type { RankQuestion, SortedLists } from '../../src/pages/sorted-lists.ts'
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

test.each([segments(), pageMarkers()])(
  'after a clock that was put back, $name built anew are looked into all the same',
  async (store) => {
    const table = createTableClient({ client, tableName, random: Math.random, sleep: async () => undefined })
    let now = Date.now()
    const opened = (clock: () => number): SortedLists => store.open({ table, namespace: store.name, clock })
    const [reading, building] = [opened(() => now), opened(Date.now)]
    await building.create()
    expect(await reading.state()).toBe('ready')
    expect((await reading.select(ALL)).total).toBe(0)
    const { add, finish } = await building.fill()
    await add([{ group: '42', cell: 'en#5', place: { score: 1, member: 'a' } }])
    await finish()
    now -= 3_600_000
    expect((await reading.select(ALL)).total).toBe(1)
  },
)
