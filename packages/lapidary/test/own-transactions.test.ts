import { GetItemCommand, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { comment, comments } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const { version: _, updatedAt, ...NEW } = comment()
const NOTE = { PK: { S: 'NOTE#1' }, SK: { S: '~' } }

type Table = TestTable<{ comments: typeof comments }>

/** Sends writes together with one of the caller's own. */
function send({ client, tableName }: Table, writes: readonly TransactWriteItem[]): Promise<unknown> {
  const own = { Put: { TableName: tableName, Item: NOTE } }
  return client.send(new TransactWriteItemsCommand({ TransactItems: [...writes, own] }))
}

async function hasNote({ client, tableName }: Table): Promise<boolean> {
  const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: NOTE, ConsistentRead: true }))
  return Item !== undefined
}

const ids = async ({ lapidary }: Table, language: string): Promise<string[]> =>
  (await lapidary.comments.list({ scope: '42', where: { language } })).items.map(({ id }) => id)

describe.each(testEngines())('writes for transactions of your own on $name', (engine) => {
  test('of a new item: it is there with what else the transaction writes, or neither is', async () => {
    await using table = await openTestTable(engine, { comments })
    const { item, writes } = await table.lapidary.comments.writes.create(NEW)
    expect(item).toEqual(comment())
    expect(await ids(table, 'en')).toEqual([])
    await table.lapidary.comments.create({ ...NEW, text: 'first' })
    await expect(send(table, writes)).rejects.toThrow('ConditionalCheckFailed')
    expect(await hasNote(table)).toBe(false)
    await table.lapidary.comments.delete('100001')
    await send(table, writes)
    expect(await hasNote(table)).toBe(true)
    expect(await table.lapidary.comments.get('100001')).toEqual(comment())
    expect(await ids(table, 'en')).toEqual(['100001'])
  })

  test('of a change: the item moves between lists, unless it was changed since it was read', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(NEW)
    const late = await client.writes.patch('100001', { language: 'de' })
    await client.patch('100001', { rating: 1 })
    await expect(send(table, late.writes)).rejects.toThrow('ConditionalCheckFailed')
    expect(await hasNote(table)).toBe(false)
    const { item, writes } = await client.writes.patch('100001', { language: 'de' })
    expect(item).toMatchObject({ language: 'de', rating: 1, version: 3 })
    await send(table, writes)
    expect(await client.get('100001')).toEqual(item)
    expect([await ids(table, 'en'), await ids(table, 'de')]).toEqual([[], ['100001']])
    expect((await client.writes.patch('100001', { rating: 1 })).writes).toEqual([])
    await expect(client.writes.patch('100001', { rating: 2 }, { ifVersion: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
    await expect(client.writes.patch('no such', {})).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a removal: nothing of the item is left, unless it was changed since it was read', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(NEW)
    const late = await client.writes.delete('100001')
    await client.patch('100001', { rating: 1 })
    await expect(send(table, late.writes)).rejects.toThrow('ConditionalCheckFailed')
    await send(table, (await client.writes.delete('100001')).writes)
    await expect(client.get('100001')).rejects.toMatchObject({ code: 'not_found' })
    expect(await ids(table, 'en')).toEqual([])
  })

  test('of an item that comes back: it keeps its version and the time of its change, and goes on from there', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    await client.create(NEW)
    await client.patch('100001', { rating: 1 })
    const before = await client.patch('100001', { rating: 2 })
    const { writes } = await client.writes.delete('100001', { ifVersion: 3 })
    await send(table, writes)
    await send(table, (await client.writes.create(before, { restored: true })).writes)
    expect(await client.get('100001')).toEqual(before)
    await expect(client.patch('100001', { rating: 3 }, { ifVersion: 1 })).rejects.toMatchObject({
      code: 'version_conflict',
    })
    expect(await client.patch('100001', { rating: 3 }, { ifVersion: 3 })).toMatchObject({ version: 4, rating: 3 })
    const { item } = await client.writes.create({ ...before, id: '100002' })
    expect(item).toMatchObject({ version: 1, updatedAt: null })
    await expect(client.writes.create(before, { restore: true } as never)).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })

  test('many items are read by their ids, in their order, beyond one request, with gaps where there is none', async () => {
    await using table = await openTestTable(engine, { comments })
    const { comments: client } = table.lapidary
    const all = Array.from({ length: 130 }, (_, i) => `c${i}`)
    await Promise.all(all.map((id) => client.create({ ...NEW, id })))
    const asked = [...all.toReversed(), 'no such', 'c3', '', 'c3']
    const found = await client.getMany(asked)
    expect(found.map((item) => item?.id)).toEqual([...all.toReversed(), undefined, 'c3', undefined, 'c3'])
    expect(found[0]).toEqual(await client.get('c129'))
    expect(await client.getMany([])).toEqual([])
  })
})
