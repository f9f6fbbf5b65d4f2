import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  anyOf,
  createLapidary,
  type DeleteAllProgress,
  defineCollection,
  LapidaryError,
  oneOf,
  powerSet,
} from 'lapidary'
import { intercepted } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Task = {
  readonly id: string
  readonly project: string
  readonly at: string
  readonly state: 'OPEN' | 'DONE'
  readonly owner: string
}

const base = {
  name: 'TASK',
  schema: schemaOf<Task>(),
  id: 'id',
  scope: { name: 'PROJECT', attribute: 'project' },
  order: 'at',
  facets: { state: anyOf(['OPEN', 'DONE']), owner: oneOf() },
} as const
const tasks = defineCollection(base)
const everywhere = defineCollection({ ...base, indexes: { all: {}, everywhere: { across: 2 } } })

const timeOf = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const task = (i: number, project = 'a'): Task => ({
  ...{ id: `${project}${i}`, project, at: timeOf(i), state: i % 3 === 0 ? 'DONE' : 'OPEN', owner: 'x' },
})

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
type Table = Awaited<ReturnType<typeof openTestTable<{ tasks: typeof tasks }>>>

async function openWith(count: number, options: Parameters<typeof openTestTable<{ tasks: typeof tasks }>>[2] = {}) {
  const table = await openTestTable(engine as NonNullable<typeof engine>, { tasks }, options)
  const made = Array.from({ length: count }, (_, i) => [task(i), task(i, 'b')]).flat()
  await Promise.all(made.map((item) => table.lapidary.tasks.create(item)))
  return table
}

const left = async ({ lapidary }: Pick<Table, 'lapidary'>, scope: string): Promise<readonly string[]> =>
  (await collect(lapidary.tasks.iterate({ scope }))).map(({ id }) => id)

describe('deleteAll', () => {
  test.each(testEngines())('deletes the items of a scope that pass a filter, and no other, on $name', async (on) => {
    await using table = await openTestTable(on, { tasks })
    const made = Array.from({ length: 130 }, (_, i) => [task(i), task(i, 'b')]).flat()
    for (let i = 0; i < made.length; i += 20)
      await Promise.all(made.slice(i, i + 20).map((item) => table.lapidary.tasks.create(item)))
    const { tasks: client } = table.lapidary
    const progress: DeleteAllProgress[] = []
    const query = { scope: 'a', where: { state: 'OPEN' } } as const

    const dry = await client.deleteAll({ ...query, dryRun: true })
    expect(dry.deleted).toBe(86)
    expect(await left(table, 'a')).toHaveLength(130)

    const done = await client.deleteAll({ ...query, onProgress: (each) => progress.push(each) })
    expect(done.deleted).toBe(86)
    expect(done.capacity).toBeGreaterThan(86)
    expect(progress.at(-1)).toMatchObject({ deleted: 86, capacity: done.capacity })
    expect((await collect(client.iterate({ scope: 'a' }))).map(({ state }) => state)).toEqual(Array(44).fill('DONE'))

    expect((await client.deleteAll({ scope: 'a', from: timeOf(60), to: timeOf(90) })).deleted).toBe(10)
    expect((await client.deleteAll({ scope: ['a', 'none'] })).deleted).toBe(34)
    expect(await client.deleteAll({ scope: 'a' })).toMatchObject({ deleted: 0 })
    expect([await left(table, 'a'), (await left(table, 'b')).length]).toEqual([[], 130])
  })

  test('takes further entries with the items', async () => {
    await using table = await openWith(8, { layout: powerSet() })
    expect((await table.lapidary.tasks.deleteAll({ scope: 'a', where: { state: 'OPEN' } })).deleted).toBe(5)
    expect(await table.lapidary.derived.verify()).toMatchObject({ differenceCount: 0, items: 11 })
  })

  test('is stopped by a signal, says how far it came, and goes on when it is run again', async () => {
    await using table = await openWith(120)
    const stop = new AbortController()
    const stopped = await table.lapidary.tasks
      .deleteAll({ scope: 'a', signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })
      .catch((error: unknown) => error as LapidaryError)
    expect(stopped).toMatchObject({ code: 'aborted', details: { deleted: 100 }, cause: { message: 'enough' } })
    expect(await left(table, 'a')).toHaveLength(20)
    expect((await table.lapidary.tasks.deleteAll({ scope: 'a' })).deleted).toBe(20)
    expect([await left(table, 'a'), (await left(table, 'b')).length]).toEqual([[], 120])
  })

  test('goes on where the process was killed in the middle', async () => {
    await using table = await openWith(60)
    const { client, tableName } = table
    for (const most of [3, 17]) {
      let sent = 0
      const dying = intercepted<DynamoDBClient>(client, async (command, send) => {
        if (command.constructor.name === 'DeleteItemCommand' && ++sent > most) throw new Error('killed')
        return send(command)
      })
      const killed = createLapidary({ client: dying, tableName, collections: { tasks }, cursorSecret: 'x'.repeat(16) })
      await expect(killed.tasks.deleteAll({ scope: 'a' })).rejects.toThrow('killed')
    }
    expect(await left(table, 'a')).toHaveLength(40)
    expect((await table.lapidary.tasks.deleteAll({ scope: 'a' })).deleted).toBe(40)
    expect((await left(table, 'b')).length).toBe(60)
  })

  test('keeps to its capacity', async () => {
    await using table = await openWith(20)
    const started = performance.now()
    const { deleted, capacity } = await table.lapidary.tasks.deleteAll({ scope: 'a', capacity: 60 })
    const seconds = (performance.now() - started) / 1_000
    expect(deleted).toBe(20)
    // A second's units are there at the start, and what was under way at once may go beyond at the end.
    expect(seconds).toBeGreaterThan((capacity - 60) / 60 - 1)
    expect(capacity).toBeGreaterThan(100)
  })

  test('asks hooks of each item, and stops where one refuses', async () => {
    const seen: string[] = []
    const hooks = {
      tasks: {
        beforeWrite: ({ id, item }: { id: string; item: Task | undefined }) => {
          if (item === undefined && id === 'b3') throw new Error('not this one')
        },
        afterWrite: ({ id, item }: { id: string; item: Task | undefined }) => {
          if (item === undefined) seen.push(id)
        },
      },
    }
    await using table = await openWith(5, { hooks })
    expect((await table.lapidary.tasks.deleteAll({ scope: 'a' })).deleted).toBe(5)
    expect(seen.sort()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4'])
    await expect(table.lapidary.tasks.deleteAll({ scope: 'b' })).rejects.toThrow('not this one')
    expect(await left(table, 'b')).toContain('b3')
  })

  test('leaves what moves away meanwhile, and what is changed so that the filter lets it pass no more', async () => {
    let moving: Promise<unknown> | undefined
    const hooks = {
      tasks: {
        beforeWrite: async ({ item }: { item: Task | undefined }) => {
          if (item !== undefined || moving !== undefined) return
          moving = Promise.all(
            Array.from({ length: 40 }, async (_, i) => {
              const change = i % 2 === 0 ? { project: 'c' } : ({ state: 'DONE' } as const)
              await table.lapidary.tasks.patch(`a${i}`, change).catch((error: unknown) => {
                if (!(error instanceof LapidaryError && error.code === 'not_found')) throw error
              })
            }),
          )
          await moving
        },
      },
    }
    await using table = await openWith(60, { hooks })
    const before = (await collect(table.lapidary.tasks.iterate({ scope: 'a', where: { state: 'OPEN' } }))).length
    const { deleted } = await table.lapidary.tasks.deleteAll({ scope: 'a', where: { state: 'OPEN' } })
    await moving
    const moved = (await collect(table.lapidary.tasks.iterate({ scope: 'c', where: { state: 'OPEN' } }))).length
    const done = (await left(table, 'a')).length + (await left(table, 'c')).length
    expect(await collect(table.lapidary.tasks.iterate({ scope: 'a', where: { state: 'OPEN' } }))).toEqual([])
    expect(moved).toBeGreaterThan(0)
    expect(deleted).toBeLessThan(before)
    expect(deleted + done).toBe(60)
  })

  test('refuses to delete everything, also where an index lists all scopes', async () => {
    await using table = await openTestTable(engine, { tasks: everywhere })
    const client = table.lapidary.tasks
    for (const scope of [undefined, []] as unknown as string[])
      await expect(client.deleteAll({ scope })).rejects.toMatchObject({
        code: 'unprocessable',
        details: { errors: [{ path: 'project' }] },
      })
    await expect(client.deleteAll({ scope: 'a', capacity: 0 })).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(client.deleteAll({ scope: 'a', where: { state: 'LOST' as 'OPEN' } })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })
})
