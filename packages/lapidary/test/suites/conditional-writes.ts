import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { type Collection, defineCollection, type HookedWrite, indexes, LapidaryError, oneOf } from 'lapidary'
import { describe, expect, test } from 'vitest'
import type { TestEngine } from '../../../../test/engines/index.ts'
import { comment, comments, schemaOf } from '../comments-fixture.ts'
import { manyEntries } from '../conformance/many-entries.ts'
import { openTestTable } from '../test-table.ts'

type Task = {
  readonly id: string
  readonly queue: string
  readonly at: string
  readonly status: string
  readonly owner?: string | null
  readonly '#size'?: number
  readonly tags?: readonly { readonly name: string }[]
}

const tasks = defineCollection({
  name: 'TASK',
  schema: schemaOf<Task>(),
  id: 'id',
  scope: { name: 'QUEUE', attribute: 'queue' },
  order: 'at',
  facets: { status: oneOf() },
})
const TASK = { id: '1', queue: 'q', at: '2024-01-01T00:00:00.000Z', status: 'NEW' }
const LAYOUTS = [indexes(), manyEntries()]
const found = async (list: Promise<{ items: readonly { id: string }[] }>) => (await list).items.map(({ id }) => id)

/** Tests that a change on a condition is made where it holds, and only there. */
export function describeConditionalWrites(engines: readonly TestEngine[]): void {
  describe.each(engines)('changes on conditions on $name', (engine) => {
    test.each(LAYOUTS)(
      'are made where they hold, and say what was found where they do not, in $name',
      async (layout) => {
        await using table = await openTestTable(engine, { tasks }, { layout })
        const { tasks: client } = table.lapidary
        await client.create(TASK)
        for (const reserved of ['PK', 'k'])
          await expect(client.delete('1', { if: { [reserved]: 'x' } as never })).rejects.toMatchObject({
            code: 'unprocessable',
          })
        await expect(client.delete('1', { if: { toString: 'x' } as never })).rejects.toMatchObject({
          code: 'condition_failed',
        })
        await client.patch('1', { status: 'TAKEN', owner: 'a' }, { if: { status: 'NEW', owner: undefined } })
        const late = client.patch('1', { owner: 'b' }, { if: { status: 'NEW', owner: undefined, queue: 'q' } })
        await expect(late).rejects.toMatchObject({
          code: 'condition_failed',
          message:
            'TASK "1" does not meet the condition, so nothing was changed: status is "TAKEN", not "NEW"; owner is "a", not absent',
          details: { found: { status: 'TAKEN', owner: 'a' }, errors: [{ path: 'status' }, { path: 'owner' }] },
        })
        await expect(client.delete('1', { if: { owner: null } })).rejects.toMatchObject({ code: 'condition_failed' })
        await expect(client.replace({ ...TASK, owner: 'b' }, { if: { owner: 'b' } })).rejects.toMatchObject({
          code: 'condition_failed',
        })
        await expect(client.delete('2', { if: { owner: 'b' } })).rejects.toMatchObject({ code: 'not_found' })
        expect(await client.get('1')).toEqual({ ...TASK, status: 'TAKEN', owner: 'a' })
        await client.replace({ ...TASK, status: 'DONE', owner: null, '#size': 0 }, { if: { owner: 'a' } })
        expect(await found(client.list({ scope: 'q', where: { status: 'TAKEN' } }))).toEqual([])
        await client.delete('1', { if: { owner: null, '#size': -0, tags: undefined } })
        expect(await found(client.list({ scope: 'q' }))).toEqual([])
      },
    )

    test('of many that want the same, one is made', async () => {
      await using table = await openTestTable(engine, { tasks })
      const { tasks: client } = table.lapidary
      await client.create({ ...TASK, tags: [{ name: 'x' }] })
      const tries = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) =>
          client.patch('1', { owner: `${i}` }, { if: { owner: undefined, tags: [{ name: 'x' }] } }),
        ),
      )
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const attempt of tries) {
        if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'condition_failed' })
      }
    })

    test('hold in the moment of the write, also against a program that counts no versions', async () => {
      await using table = await openTestTable(engine, { tasks })
      const { lapidary, client, tableName } = table
      await lapidary.tasks.create(TASK)
      const { writes } = await lapidary.tasks.writes.patch('1', { owner: 'a' }, { if: { status: 'NEW' } })
      const Key = { PK: { S: 'TASK#1' }, SK: { S: '~' } }
      await client.send(
        new UpdateItemCommand({
          ...{ TableName: tableName, Key, UpdateExpression: 'SET #s = :s' },
          ...{ ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':s': { S: 'OLD' } } },
        }),
      )
      const update = writes[0]?.Update
      if (update?.UpdateExpression === undefined) throw new Error('no update')
      // A proxy may let it conflict with a transaction first; it never changes anything, so it can be sent again.
      const refusal = () =>
        client.send(new UpdateItemCommand(update)).then(
          () => 'made',
          (error: Error) => error.message,
        )
      await expect.poll(refusal).toMatch(/conditional/i)
    })

    test.each(LAYOUTS)('a replacement takes away what it lacks, and moves the item, in $name', async (layout) => {
      const clock = () => Date.parse('2024-05-01T00:00:00.000Z')
      await using table = await openTestTable(engine, { comments, tasks }, { layout, clock })
      const { comments: client, tasks: other } = table.lapidary
      const { version, updatedAt, createdAt, ...sent } = comment()
      await expect(client.replace(sent)).rejects.toMatchObject({ code: 'not_found' })
      await client.create({ ...sent, createdAt })
      const replaced = await client.replace({ ...sent, rating: 2 })
      expect(replaced).toEqual(comment({ rating: 2, version: 2, updatedAt: '2024-05-01T00:00:00.000Z' }))
      expect(await client.get('100001')).toEqual(replaced)
      expect(await client.replace(replaced, { ifVersion: 2 })).toEqual(replaced)
      expect([
        await found(client.list({ scope: '42', where: { rating: 5 } })),
        await found(client.list({ scope: '42', where: { rating: 2 } })),
      ]).toEqual([[], ['100001']])
      expect(await client.replace({ ...sent, productId: '43' })).toMatchObject({ productId: '43', version: 3 })
      expect([await found(client.list({ scope: '42' })), await found(client.list({ scope: '43' }))]).toEqual([
        [],
        ['100001'],
      ])
      await expect(client.replace(sent, { ifVersion: 1 })).rejects.toMatchObject({ code: 'version_conflict' })
      await other.create({ ...TASK, owner: 'a', tags: [] })
      expect(await other.replace({ ...TASK, status: 'NEXT' })).toEqual({ ...TASK, status: 'NEXT' })
      expect(await other.get('1')).toEqual({ ...TASK, status: 'NEXT' })
    })

    test.each(LAYOUTS)('an upsert stores a new item or replaces one, by many at once too, in $name', async (layout) => {
      await using table = await openTestTable(engine, { comments }, { layout })
      const { comments: client } = table.lapidary
      const { version, updatedAt, ...sent } = comment()
      const texts = Array.from({ length: 6 }, (_, i) => `${i}`)
      await Promise.all(texts.map((text) => client.upsert({ ...sent, text })))
      const last = await client.get('100001')
      // One whose answer was lost is made again, if another has come between.
      if (engine.breaks === true) expect(last.version).toBeGreaterThanOrEqual(texts.length)
      else expect(last.version).toBe(texts.length)
      expect(await client.upsert({ ...sent, text: last.text })).toEqual(last)
      const { item, writes } = await client.writes.upsert({ ...sent, id: '2' })
      expect([item.version, writes.length > 0]).toEqual([1, true])
      await expect(client.upsert({ ...sent, id: '' })).rejects.toMatchObject({ code: 'unprocessable' })
    })

    test('hooks run before a write, where they can stop it, and after it', async () => {
      const seen: (readonly [string, Pick<HookedWrite<Task>, 'item' | 'previous'>])[] = []
      const hooks = {
        tasks: {
          async beforeWrite({ item, previous, id }: HookedWrite<Task>) {
            seen.push([`before ${id}`, { item, previous }])
            if (item?.status === 'FORBIDDEN') throw new LapidaryError('unprocessable', 'not this one')
            if (item === undefined && previous?.status === 'NEW') throw new Error('new ones stay')
          },
          afterWrite({ item, previous, id }: HookedWrite<Task>) {
            seen.push([`after ${id}`, { item, previous }])
          },
        },
      }
      await using table = await openTestTable(engine, { tasks }, { hooks })
      const { tasks: client } = table.lapidary
      await client.create(TASK, { idempotencyKey: 'k' })
      const pair = (item: unknown, previous: unknown) => [
        ['before 1', { item, previous }],
        ['after 1', { item, previous }],
      ]
      expect(seen.splice(0)).toEqual(pair(TASK, undefined))
      await client.patch('1', { status: 'NEW' })
      expect(seen.splice(0)).toEqual([])
      await expect(client.patch('1', { status: 'FORBIDDEN' })).rejects.toThrow('not this one')
      await expect(client.create({ ...TASK, id: '2', status: 'FORBIDDEN' })).rejects.toThrow('not this one')
      await expect(client.delete('1')).rejects.toThrow('new ones stay')
      expect([await client.get('1'), await found(client.list({ scope: 'q' }))]).toEqual([TASK, ['1']])
      seen.length = 0
      const owned = await client.patch('1', { owner: 'a' })
      expect(seen.splice(0)).toEqual(pair(owned, TASK))
      const done = await client.upsert({ ...TASK, status: 'DONE' })
      expect(seen.splice(0)).toEqual(pair(done, owned))
      await client.writes.delete('1')
      expect(seen.splice(0)).toEqual(pair(undefined, done).slice(0, 1))
      await client.delete('1')
      expect(seen.splice(0)).toEqual(pair(undefined, done))
    })
  })

  test('a condition on what is no attribute is refused, where the declaration knows them', async () => {
    const [engine] = engines
    if (engine === undefined) throw new Error('no engine')
    const named = defineCollection({
      name: 'TASK',
      schema: schemaOf<Pick<Task, 'id' | 'queue' | 'at'>>(),
      id: 'id',
      scope: { name: 'QUEUE', attribute: 'queue' },
      order: 'at',
      facets: {},
      attributes: { id: 'i', queue: 'q', at: 'a' },
    }) satisfies Collection<unknown>
    await using table = await openTestTable(engine, { named })
    await table.lapidary.named.create({ id: '1', queue: 'q' })
    const typo = { quene: undefined } as never
    await expect(table.lapidary.named.delete('1', { if: typo })).rejects.toMatchObject({ code: 'unprocessable' })
  })
}
