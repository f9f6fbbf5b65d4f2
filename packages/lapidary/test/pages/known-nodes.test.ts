import { createLapidary, type ListChange, type ListEntry, type SortedLists, segments } from 'lapidary'
import { chosenSeed, memoryLists, seededRandom } from 'lapidary-testing'
import { afterAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { comments } from '../comments-fixture.ts'

const GROUPS = ['1', '2'] as const
const ROUNDS = 60

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client = createTestClient(engine)
const tableNames: string[] = []
afterAll(() => dropTables(client, tableNames))

/** A table, and processes that each have the trees in it open. */
async function world() {
  const tableName = uniqueTableName()
  tableNames.push(tableName)
  const requests: Record<string, number> = {}
  const counted = {
    send(command: object, options?: object) {
      const { name } = command.constructor
      requests[name] = (requests[name] ?? 0) + 1
      return client.send(command as never, options)
    },
  } as unknown as typeof client
  const lapidary = createLapidary({
    ...{ client: counted, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
  })
  await lapidary.table.create()
  const { table } = lapidary.comments.context
  const open = (): SortedLists => segments().open({ table, namespace: 'T', clock: Date.now })
  await open().create()
  return { open, requests }
}

const entry = (group: string, i: number): ListEntry => ({
  group,
  cell: `en#${1 + (i % 5)}`,
  place: { score: 1_000_000 + i, member: `m${String(i).padStart(6, '0')}` },
})

async function entriesOf(lists: SortedLists, group: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const entries of (await lists.inspect?.())?.entries(group) ?? [])
    found.push(...entries.map(({ cell, place }) => `${place.member} ${cell}`))
  return found.sort()
}

test('a process that changes a tree again and again reads nothing of it', async () => {
  const { open, requests } = await world()
  const lists = open()
  let sequence = 1_000
  const add = (from: number): Promise<void> =>
    lists.apply(
      's',
      Array.from({ length: 10 }, (_, i): ListChange => {
        return { sequenceNumber: String(sequence++), steps: [{ op: 'add', ...entry('1', from + i) }] }
      }),
    )
  for (let i = 0; i < 5; i++) await add(10 * i)
  const before = requests.QueryCommand ?? 0
  for (let i = 5; i < 30; i++) await add(10 * i)
  expect((requests.QueryCommand ?? 0) - before).toBe(0)
  expect(await entriesOf(open(), '1')).toHaveLength(300)
  await open().validate('1')
})

test('what a process remembers, and another has changed since, is looked up before a change is taken for none', async () => {
  const { open } = await world()
  const [one, other] = [open(), open()]
  let sequence = 1_000
  const apply = (lists: SortedLists, op: 'add' | 'remove'): Promise<void> =>
    lists.apply(`shard-${lists === one}`, [{ sequenceNumber: String(sequence++), steps: [{ op, ...entry('1', 7) }] }])
  await apply(one, 'add')
  await apply(other, 'remove')
  await apply(one, 'add')
  expect(await entriesOf(open(), '1')).toHaveLength(1)
  await apply(other, 'remove')
  await apply(other, 'add')
  await apply(one, 'remove')
  expect(await entriesOf(open(), '1')).toEqual([])
})

test('processes that change the same trees by turns keep what all of them wrote', async () => {
  const seed = chosenSeed(process.env.KNOWN_SEED)
  console.info(`known nodes: KNOWN_SEED=${seed}`)
  const random = seededRandom(seed)
  const { open } = await world()
  const processes = [open(), open(), open()]
  const truth = memoryLists()
  await truth.create()
  const known = new Set<string>()
  let sequence = 1_000
  for (let round = 0; round < ROUNDS; round++) {
    const at = Math.floor(random() * processes.length)
    const changes = Array.from({ length: 1 + Math.floor(random() * 12) }, (): ListChange => {
      const [group, i] = [GROUPS[Math.floor(random() * 2)] ?? '1', Math.floor(random() * 260)]
      const id = `${group} ${i}`
      // A step that changes nothing has to be looked up.
      const op = random() < 0.1 || !known.has(id) ? 'add' : 'remove'
      if (op === 'add') known.add(id)
      else known.delete(id)
      return { sequenceNumber: String(sequence++), steps: [{ op, ...entry(group, i) }] }
    })
    await processes[at]?.apply(`shard-${at}`, changes)
    await truth.apply(`shard-${at}`, changes)
  }
  for (const group of GROUPS) {
    expect(await entriesOf(open(), group)).toEqual(await entriesOf(truth, group))
    await open().validate(group)
  }
})
