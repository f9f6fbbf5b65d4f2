import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  type ListChange,
  type ListEntry,
  type PageMarkersOptions,
  pageMarkers,
  type SortedLists,
  tableFor,
} from 'lapidary'
import { chosenSeed, memoryLists, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { createTable } from '../../src/schema/create-table.ts'
import { type CommandSender, createTableClient } from '../../src/table/table-client.ts'
import { comments } from '../comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
const CELLS = ['en#5', 'en#4', 'de#5', 'de#1'] as const
const EVERYTHING = {
  groups: ['42'],
  includes: () => true,
  lower: undefined,
  upper: undefined,
  ascending: true,
} as const

let client: DynamoDBClient
let opened = 0
const tableName = uniqueTableName()
beforeAll(async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  client = createTestClient(engine)
  await createTable(client, tableFor({ tableName, collections: { comments } }))
})
afterAll(() => dropTables(client, [tableName]))

function open(options: PageMarkersOptions, namespace = `M${opened++}`, sender: CommandSender = client): SortedLists {
  const table = createTableClient({ client: sender, tableName, random: Math.random, sleep: (ms) => sleep(ms) })
  return pageMarkers(options).open({ table, namespace, clock: Date.now })
}

async function openReady(options: PageMarkersOptions): Promise<SortedLists> {
  const lists = open(options)
  await lists.create()
  return lists
}

let number = 1_000
const change = (...steps: ListChange['steps']): ListChange => ({ sequenceNumber: String(number++), steps })

function entryAt(i: number, cell: string = CELLS[i % CELLS.length] as string): ListEntry {
  return { group: '42', cell, place: { score: i, member: `c${i}` } }
}
const added = (i: number): ListChange => change({ op: 'add', ...entryAt(i) })
const removed = (i: number): ListChange => change({ op: 'remove', ...entryAt(i) })
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, i) => from + i)

async function membersOf(lists: SortedLists): Promise<readonly (string | undefined)[]> {
  const { total } = await lists.select({ ...EVERYTHING, offset: 0 })
  const found = await Promise.all(range(0, total).map((offset) => lists.select({ ...EVERYTHING, offset })))
  return found.map(({ place }) => place?.member)
}

test('what is refused says so and changes nothing, and what is appended goes on', async () => {
  const lists = await openReady({ every: 3, onDisorder: 'refuse' })
  await lists.apply('shard', range(10, 20).map(added))
  for (const late of [added(5), removed(19), removed(12), change({ op: 'add', ...entryAt(19, 'fr#3') })]) {
    await expect(lists.apply('shard', [late])).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/newer than all.*c\d+ is not.*rebuild page-index/s),
    })
  }
  // A batch is taken in as a whole or not at all.
  await expect(lists.apply('shard', [added(20), added(7)])).rejects.toMatchObject({ code: 'unprocessable' })
  await lists.apply('shard', [added(21)])
  expect(await membersOf(lists)).toEqual([...range(10, 20), 21].map((i) => `c${i}`))
  await lists.validate('42')
})

test('mending costs the blocks behind a change, is counted, and has a bound', async () => {
  const mended: number[] = []
  const lists = await openReady({ every: 4, mostMended: 3, onMend: (blocks) => mended.push(blocks) })
  for (const i of range(0, 38)) await lists.apply('shard', [added(i * 10)])
  // Nine full blocks and half a one, in which a change touches no other.
  await lists.apply('shard', [added(365)])
  await lists.apply('shard', [removed(365)])
  expect(mended).toEqual([])
  await lists.apply('shard', [added(345)])
  await lists.apply('shard', [added(275)])
  expect(mended).toEqual([1, 2])
  await expect(lists.apply('shard', [added(45)])).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringContaining('at most 3 blocks before the newest'),
  })
  await lists.validate('42')
  const expected = [...range(0, 38).map((i) => i * 10), 345, 275].sort((a, b) => a - b).map((i) => `c${i}`)
  expect(await membersOf(lists)).toEqual(expected)
})

test('blocks that an item or a transaction can’t hold are refused with the numbers, and nothing changes', async () => {
  const lists = await openReady({ every: 300 })
  const long = (i: number): ListEntry => ({ ...entryAt(i), place: { score: i, member: `${i}`.padStart(1_000, 'x') } })
  const add = (i: number): ListChange => change({ op: 'add', ...long(i) })
  for (const block of range(0, 13)) await lists.apply('shard', range(300 * block, 300 * block + 300).map(add))
  await expect(lists.apply('shard', [change({ op: 'remove', ...long(1) })])).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringMatching(/would write 13 blocks of 39\d{5} bytes together for a change.*smaller every/),
  })
  const { total } = await lists.select({ ...EVERYTHING, offset: 0 })
  expect(total).toBe(3_900)
  const wide = await openReady({ every: 500 })
  await wide.apply('shard', range(0, 400).map(add))
  await expect(wide.apply('shard', range(400, 410).map(add))).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringMatching(/would have 410 entries and counts of 0 lists, 41\d{4} bytes.*smaller every/),
  })
  await wide.validate('42')
})

test.each([{ every: 0 }, { every: 1.5 }, { every: 501 }, { mostMended: -1 }, { mostMended: 46 }])(
  'the options %j are refused',
  (options) => {
    expect(() => pageMarkers(options)).toThrow(expect.objectContaining({ code: 'declaration_invalid' }))
  },
)

test('small blocks answer as the naive lists do', async () => {
  const step = fc.record({ item: fc.nat({ max: 25 }), cell: fc.option(fc.constantFrom(...CELLS)) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (batches, every) => {
        const lists = await openReady({ every })
        const truth = memoryLists()
        await truth.create()
        const at = new Map<number, ListEntry>()
        for (const batch of batches) {
          const changes = batch.map(({ item, cell }) => {
            const was = at.get(item)
            const is = cell === null ? undefined : entryAt(item, cell)
            if (is === undefined) at.delete(item)
            else at.set(item, is)
            const steps = [was && ({ op: 'remove', ...was } as const), is && ({ op: 'add', ...is } as const)]
            return change(...steps.filter((each) => each !== undefined))
          })
          for (const each of [lists, truth]) await each.apply('shard', changes)
          await lists.validate('42')
        }
        for (const cell of CELLS) {
          for (const ascending of [true, false]) {
            for (const offset of [0, 1, 5]) {
              const question = { ...EVERYTHING, ascending, offset, includes: (each: string) => each !== cell }
              const [{ total, place }, expected] = await Promise.all([lists.select(question), truth.select(question)])
              expect({ total, place }).toEqual({ total: expected.total, place: expected.place })
            }
          }
        }
      },
    ),
    { seed, numRuns: 25 },
  )
})

test('writers of different shards take turns in the blocks that they share', async () => {
  const namespace = `M${opened++}`
  const shards = range(0, 4).map(() => open({ every: 5 }, namespace))
  await shards[0]?.create()
  const batches = shards.map((_, shard) => range(0, 30).map((i) => added(i * 4 + shard)))
  await Promise.all(
    shards.map(async (lists, shard) => {
      const changes = batches[shard] ?? []
      for (let i = 0; i < changes.length; i += 6) await lists.apply(`shard-${shard}`, changes.slice(i, i + 6))
    }),
  )
  const [lists] = shards
  await lists?.validate('42')
  expect(await membersOf(lists as SortedLists)).toEqual(range(0, 120).map((i) => `c${i}`))
})

test('a block that begins while the one before it changes is stamped by what that one has then', async () => {
  const namespace = `M${opened++}`
  const other = open({ every: 3 }, namespace)
  await other.create()
  await other.apply('other', range(0, 6).map(added))
  let isFirst = true
  const late: CommandSender = {
    send: (async (command: never, settings: never) => {
      const asked: unknown = command
      if (isFirst && asked instanceof TransactWriteItemsCommand) {
        isFirst = false
        await other.apply('other', [removed(4)])
      }
      return client.send(command, settings)
    }) as never,
  }
  await open({ every: 3 }, namespace, late).apply('shard', [added(6)])
  await other.validate('42')
  expect(await membersOf(other)).toEqual([0, 1, 2, 3, 5, 6].map((i) => `c${i}`))
})

test('what changes between the writing of the blocks and their being shown is in them', async () => {
  const namespace = `M${opened++}`
  const other = open({ every: 3 }, namespace)
  const entered: string[] = []
  /** Another process takes in changes right before and right after each phase begins. */
  const changing: CommandSender = {
    send: (async (command: never, settings: never) => {
      const asked: unknown = command
      const phase = asked instanceof PutItemCommand ? asked.input.Item?.state?.S : undefined
      if (phase === 'settling') await other.apply('shard', [removed(3), added(100), added(101), removed(5)])
      const answer = await client.send(command, settings)
      if (phase !== undefined) entered.push(phase)
      const moved =
        asked instanceof UpdateItemCommand ? asked.input.ExpressionAttributeValues?.[':state']?.S : undefined
      // Later changes of what was noted before, now that the mark of the shard is moved.
      if (moved === 'settling') await other.apply('shard', [added(5), removed(101)])
      return answer
    }) as never,
  }
  expect(await other.state()).toBe('absent')
  const lists = open({ every: 3 }, namespace, changing)
  const filling = await lists.fill()
  await filling.add(range(0, 10).map((i) => entryAt(i)))
  await other.apply('shard', [removed(0), added(50)])
  await filling.finish()
  expect(entered).toEqual(['filling', 'settling', 'ready'])
  // Another process shows them at once.
  expect(await other.state()).toBe('ready')
  expect(await membersOf(other)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 50, 100].map((i) => `c${i}`))
  await other.apply('shard', [added(3), removed(1)])
  await other.validate('42')
  expect(await membersOf(other)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 50, 100].map((i) => `c${i}`))
})

test('an entry takes few rounds at any depth, by any filter, in any range', async () => {
  const lists = open({ every: 5 })
  const truth = memoryLists()
  const random = seededRandom(seed)
  // The lists are mixed unevenly: one begins late, one ends early.
  const entries = range(0, 4_000).map((i) => {
    const cells = i < 1_000 ? CELLS.slice(0, 2) : i < 3_000 ? CELLS : CELLS.slice(1)
    return entryAt(i * 3, cells[Math.floor(random() * cells.length)])
  })
  for (const each of [lists, truth]) {
    const filling = await each.fill()
    for (let i = 0; i < entries.length; i += 900) await filling.add(entries.slice(i, i + 900))
    await filling.finish()
  }
  await lists.validate('42')
  let most = 0
  for (let i = 0; i < 60; i++) {
    const asked = CELLS.filter(() => random() < 0.6)
    const bound = (): { score: number; member: string } => ({ score: Math.floor(random() * 12_000), member: 'm' })
    const isRange = i % 3 === 0
    const question = {
      ...EVERYTHING,
      includes: (cell: string) => asked.some((each) => each === cell),
      ...(isRange ? { lower: bound(), upper: bound() } : {}),
      ascending: random() < 0.5,
      offset: Math.floor(random() * 3_000),
    }
    const [{ total, place, rounds }, expected] = await Promise.all([lists.select(question), truth.select(question)])
    expect({ total, place }).toEqual({ total: expected.total, place: expected.place })
    if (!isRange) most = Math.max(most, rounds)
  }
  console.log(`rounds at most, of 800 blocks: ${most}`)
  expect(most).toBeLessThanOrEqual(5)
  const { rounds } = await lists.select({ ...EVERYTHING, offset: 1_234 })
  expect(rounds).toBe(2)
})
