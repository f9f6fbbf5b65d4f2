import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, createLapidary, defineCollection, increment, indexes, type Layout, powerSet } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { describe, expect, test } from 'vitest'
import { type TestEngine, testEngines } from '../../../test/engines/index.ts'
import { seededRandom } from '../src/model/seeded-random.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Task = {
  readonly id: string
  readonly queue: string
  readonly at: string
  readonly status: string
  readonly owner: string
  readonly tries: number
  readonly version?: number
}

const base = {
  name: 'TASK',
  schema: schemaOf<Task>(),
  id: 'id',
  scope: { name: 'QUEUE', attribute: 'queue' },
  order: 'at',
  facets: { status: anyOf(['NEW', 'DONE']), owner: anyOf(['a', 'b']) },
} as const
const uncounted = defineCollection(base)
const counted = defineCollection({ ...base, version: 'version' })
const TASK = { id: '1', queue: 'q', at: '2024-01-01T00:00:00.000Z', status: 'NEW', owner: 'a', tries: 0 }

/** A table with a process that counts no versions, and one whose declaration has got a version. */
async function openBoth(engine: TestEngine, layout: Layout = indexes()) {
  const table = await openTestTable(engine, { tasks: uncounted }, { layout })
  const { client, tableName } = table
  const later = createLapidary({
    ...{ client, tableName, collections: { tasks: counted }, layout },
    cursorSecret: 'a secret of the tests',
  })
  return {
    ...{ client, old: table.lapidary.tasks, new: later.tasks },
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  }
}

type Both = Awaited<ReturnType<typeof openBoth>>
type Tasks = Both['old' | 'new']

/** The decisions of a process on the item as it read it. */
const PLANS = {
  patch: (tasks: Tasks, { id }: Task) => tasks.writes.patch(id, { owner: 'b' }),
  increment: (tasks: Tasks, { id }: Task) => tasks.writes.patch(id, { tries: increment(1) }),
  replacement: (tasks: Tasks, task: Task) => tasks.writes.replace({ ...task, owner: 'b' }),
  upsert: (tasks: Tasks, task: Task) => tasks.writes.upsert({ ...task, owner: 'b' }),
  deletion: (tasks: Tasks, { id }: Task) => tasks.writes.delete(id),
}

/** The changes of the other process in between. */
const CHANGES = {
  patch: (tasks: Tasks, { id }: Task) => tasks.patch(id, { status: 'DONE' }),
  replacement: (tasks: Tasks, task: Task) => tasks.replace({ ...task, status: 'DONE' }),
  upsert: (tasks: Tasks, task: Task) => tasks.upsert({ ...task, status: 'DONE' }),
  increment: (tasks: Tasks, { id }: Task) => tasks.patch(id, { tries: increment(1) }),
  'blind increment': (tasks: Tasks, { id }: Task) => tasks.patch(id, { tries: increment(1, { blind: true }) }),
  transaction: async (tasks: Tasks, { id }: Task, { client }: Both) => {
    const { writes } = await tasks.writes.patch(id, { status: 'DONE' })
    return client.send(new TransactWriteItemsCommand({ TransactItems: [...writes] }))
  },
  import: (tasks: Tasks, task: Task) => importItems(tasks, [{ ...task, status: 'DONE' }]),
  'import of version 1': (tasks: Tasks, task: Task) => importItems(tasks, [{ ...task, status: 'DONE', version: 1 }]),
  deletion: (tasks: Tasks, { id }: Task) => tasks.delete(id),
  'deletion and creation': async (tasks: Tasks, task: Task) => {
    await tasks.delete(task.id)
    await tasks.create({ ...task, status: 'DONE' })
  },
}

const INTERLEAVED = (Object.keys(PLANS) as (keyof typeof PLANS)[]).flatMap((plan) =>
  (Object.keys(CHANGES) as (keyof typeof CHANGES)[]).map((between) => [plan, between] as const),
)
const PAIRS = (['old', 'new'] as const).flatMap((creator) =>
  (['old', 'new'] as const).flatMap((reader) =>
    (['old', 'new'] as const).map((writer) => ({ creator, reader, writer })),
  ),
)

describe.each(testEngines())('a version that is declared while a former declaration writes, on $name', (engine) => {
  test.each(PAIRS)(
    'an item of the $creator process, read by the $reader one and changed by the $writer one, is not as it was read',
    async ({ creator, reader, writer }) => {
      await using both = await openBoth(engine)
      const change = async ([plan, between]: (typeof INTERLEAVED)[number]): Promise<void> => {
        const task = { ...TASK, id: `${plan} ${between}` }
        await both[creator].create(task)
        const { writes } = await PLANS[plan](both[reader], task)
        await CHANGES[between](both[writer], task, both)
        const sent = both.client.send(new TransactWriteItemsCommand({ TransactItems: [...writes] }))
        await expect(sent, task.id).rejects.toThrow('ConditionalCheckFailed')
      }
      await Promise.all(INTERLEAVED.map(change))
    },
  )

  test.each([indexes(), powerSet()])(
    'a version that was read before a process without it changed the item does not hold, in $name',
    async (layout) => {
      await using both = await openBoth(engine, layout)
      const conflict = { code: 'version_conflict' }
      const listed = async () => (await both.new.list({ scope: 'q' })).items.map(({ version }) => version)
      expect(await both.new.create(TASK)).toMatchObject({ version: 1 })
      await both.old.patch('1', { status: 'DONE' })
      await expect(both.new.patch('1', { owner: 'b' }, { ifVersion: 1 })).rejects.toMatchObject(conflict)
      expect(await both.new.get('1')).toEqual({ ...TASK, status: 'DONE', version: 2 })
      expect(await listed()).toEqual([2])
      await both.new.patch('1', { tries: increment(1, { blind: true }) })
      await both.old.patch('1', { tries: increment(1) })
      await both.old.patch('1', { tries: increment(1, { blind: true }) })
      await expect(both.new.delete('1', { ifVersion: 3 })).rejects.toMatchObject(conflict)
      const { version } = await both.new.get('1')
      expect(await both.new.replace({ ...TASK, owner: 'b' }, { ifVersion: version ?? 0 })).toMatchObject({ owner: 'b' })
      expect(await both.new.patch('1', { owner: 'a' }, { ifVersion: (version ?? 0) + 1 })).toMatchObject({ owner: 'a' })
      expect(await listed()).toEqual([(version ?? 0) + 2])
    },
  )

  test('a version goes on from the changes that were made without it, and where a replacement took it away', async () => {
    await using both = await openBoth(engine)
    await both.old.create(TASK)
    await both.old.patch('1', { tries: 1 })
    expect(await both.new.patch('1', { owner: 'b' })).toMatchObject({ version: 3 })
    await both.old.replace({ ...TASK, tries: 2 })
    await expect(both.new.patch('1', { tries: 3 }, { ifVersion: 3 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
    expect(await both.new.patch('1', { tries: 3 })).toMatchObject({ version: 5 })
    await both.old.patch('1', { tries: 4 })
    expect(await both.new.patch('1', { tries: 5 }, { ifVersion: 5 }).catch(({ code }) => code)).toBe('version_conflict')
    await importItems(both.new, [{ ...TASK, version: 9 }])
    expect(await both.new.patch('1', { tries: 6 }, { ifVersion: 9 })).toMatchObject({ version: 10 })
  })

  test('of changes by both at once none is lost, and the lists agree with the items', async () => {
    await using both = await openBoth(engine)
    await Promise.all(['1', '2', '3'].map((id) => both.old.create({ ...TASK, id })))
    const random = seededRandom(Number(process.env.FC_SEED ?? 1))
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    const added = new Map<string, number>()
    const act = async (): Promise<void> => {
      const id = pick(['1', '2', '3'])
      const tasks = pick([both.old, both.new])
      const facet = pick(['status', 'owner', 'tries', 'tries'])
      if (facet === 'status') await tasks.patch(id, { status: pick(['NEW', 'DONE']) })
      else if (facet === 'owner') await tasks.patch(id, { owner: pick(['a', 'b']) })
      else {
        added.set(id, (added.get(id) ?? 0) + 1)
        await tasks.patch(id, { tries: increment(1, { blind: pick([true, false]) }) })
      }
    }
    for (let round = 0; round < 20; round++) await Promise.all([act(), act(), act(), act()])
    const items = await both.new.getMany(['1', '2', '3'])
    expect(items.map((item) => item?.tries)).toEqual(['1', '2', '3'].map((id) => added.get(id) ?? 0))
    for (const status of ['NEW', 'DONE'] as const) {
      for (const owner of ['a', 'b'] as const) {
        const found = (await both.new.list({ scope: 'q', where: { status, owner } })).items
        expect(new Set(found)).toEqual(new Set(items.filter((item) => item?.status === status && item.owner === owner)))
      }
    }
  })
})
