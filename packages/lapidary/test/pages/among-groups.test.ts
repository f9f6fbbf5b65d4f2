import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { type ListEntry, type PageStore, pageMarkers, type SortedLists, segments, tableFor } from 'lapidary'
import { chosenSeed, memoryLists, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { createTable } from '../../src/schema/create-table.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { comments } from '../comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)
const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client: DynamoDBClient = createTestClient(engine)
const tableName = uniqueTableName()
beforeAll(() => createTable(client, tableFor({ tableName, collections: { comments } })))
afterAll(() => dropTables(client, [tableName]))

const SIZE = 8_000
const CELLS = ['en#5', 'en#4', 'de#5'] as const
/** When the entries of each group were made, from 0 to 1: evenly, in bursts, early, late, and a few. */
const GROUPS: Readonly<Record<string, (random: number, i: number) => number>> = {
  even: (random) => random,
  bursts: (random, i) => (i % 5) / 5 + random / 1_000,
  early: (random) => random ** 4 / 3,
  late: (random) => 1 - random / 4,
  few: (random, i) => (i < 30 ? random : Number.NaN),
}

function entriesOf(): readonly ListEntry[] {
  const random = seededRandom(seed)
  return Object.entries(GROUPS).flatMap(([group, at]) =>
    Array.from({ length: SIZE }, (_, i) => ({
      ...{ group, cell: CELLS[Math.floor(random() ** 2 * 3)] as string },
      place: { score: Math.round(at(random(), i) * 1e6), member: `${group}-${i}` },
    })).filter(({ place }) => !Number.isNaN(place.score)),
  )
}

async function filled(lists: SortedLists, entries: readonly ListEntry[]): Promise<SortedLists> {
  const filling = await lists.fill()
  for (let i = 0; i < entries.length; i += 10_000) await filling.add(entries.slice(i, i + 10_000))
  await filling.finish()
  return lists
}

const bound = fc.option(fc.record({ score: fc.integer({ min: -1, max: 1_000_001 }), member: fc.constant('') }), {
  nil: undefined,
  freq: 2,
})
const question = fc.record({
  groups: fc.shuffledSubarray([...Object.keys(GROUPS), 'empty'], { minLength: 1 }),
  cells: fc.subarray([...CELLS], { minLength: 1 }),
  lower: bound,
  upper: bound,
  ascending: fc.boolean(),
  permille: fc.integer({ min: 0, max: 1_000 }),
})

// Large enough for several branches, and for blocks that are not all read at once.
describe.each<PageStore>([segments(), pageMarkers({ every: 50 })])('groups of thousands in $name', (store) => {
  test('are searched together', async () => {
    const table = createTableClient({ client, tableName, random: Math.random, sleep: async () => undefined })
    const entries = entriesOf()
    const lists = await filled(store.open({ table, namespace: store.name, clock: Date.now }), entries)
    const truth = await filled(memoryLists(), entries)
    await fc.assert(
      fc.asyncProperty(question, async ({ cells, permille, ...asked }) => {
        const includes = (cell: string) => cells.includes(cell as never)
        const { total } = await truth.select({ ...asked, includes, offset: 0 })
        const whole = { ...asked, includes, offset: Math.floor((permille * total) / 1_000) }
        const [found, expected] = [await lists.select(whole), await truth.select(whole)]
        expect({ total: found.total, place: found.place }).toEqual({ total, place: expected.place })
        if (store.appendOnly !== true) expect(found.rounds).toBeLessThanOrEqual(3)
      }),
      { seed, numRuns: 80 },
    )
    await lists.close()
  })
})
