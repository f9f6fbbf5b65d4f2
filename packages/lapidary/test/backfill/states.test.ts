import {
  DeleteItemCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { intercepted } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { type TestEngine, testEngines } from '../../../../test/engines/index.ts'
import { createIndexStates } from '../../src/schema/index-states.ts'
import { createTableClient } from '../../src/table/table-client.ts'
import { createIndexes, deleteIndex } from './create-indexes.ts'
import { order, orders, ordersByStatus, ordersWith } from './orders.ts'
import { openShop, type Shop } from './shop.ts'

const SENT = { scope: 'c1', where: { status: 'SENT' }, limit: 100 } as const
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** As an earlier version left it: without a register. */
async function forgetStates({ client, tableName }: Shop): Promise<void> {
  const Key = { PK: { S: '~INDEXES#ORDER' }, SK: { S: '~' } }
  await client.send(new DeleteItemCommand({ TableName: tableName, Key }))
}

/** A client that notes the names of the commands. */
function noting(client: DynamoDBClient, names: string[]): DynamoDBClient {
  return intercepted<DynamoDBClient>(client, (command, send) => {
    names.push(command.constructor.name)
    return send(command)
  })
}

/** Sets or removes an attribute behind the library's back. */
async function spoil({ client, tableName }: Shop, id: string, name: string, value: string | undefined): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { PK: { S: `ORDER#${id}` }, SK: { S: '~' } },
      UpdateExpression: value === undefined ? 'REMOVE #n' : 'SET #n = :v',
      ExpressionAttributeNames: { '#n': name },
      ...(value === undefined ? {} : { ExpressionAttributeValues: { ':v': { S: value } } }),
    }),
  )
}

describe.each(testEngines())('index states on $name', (engine) => {
  test('a new table has all of them ready, and a process reads them once', async () => {
    await using shop = await openShop(engine, ordersByStatus)
    const names: string[] = []
    const { orders: things } = shop.process(ordersByStatus, noting(shop.client, names))
    for (let i = 0; i < 5; i++) expect((await things.list(SENT)).plan.text).toMatch(/^byStatus\[/)
    expect(names).toEqual(['GetItemCommand', ...range(5).map(() => 'QueryCommand')])
  })

  test('a read that began before they changed is not what they are afterwards', async () => {
    await using shop = await openShop(engine)
    const { orders: things, table } = shop.process(ordersByStatus)
    await createIndexes(shop.client, table)
    let letGo = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const slow = intercepted<DynamoDBClient>(shop.client, async (command, send) => {
      const answer = await send(command)
      if (command instanceof GetItemCommand) await gate
      return answer
    })
    const { tableName } = shop
    const through = createTableClient({ client: slow, tableName, random: Math.random, sleep: async () => {} })
    const states = createIndexStates(through, things.context, () => 0)
    await things.context.states.unusable()
    const early = states.unusable()
    await table.backfill()
    states.changed()
    const late = states.unusable()
    letGo()
    expect([...(await early).keys()]).toEqual(['byStatus'])
    expect([...(await late).keys()]).toEqual([])
    expect([...(await states.unusable()).keys()]).toEqual([])
  })

  test('names the indexes that a table lacks, and makes none of them', async () => {
    await using shop = await openShop(engine, orders)
    const { table } = shop.process(ordersByStatus)
    const names = (await table.missing()).map((update) => update.GlobalSecondaryIndexUpdates?.[0]?.Create?.IndexName)
    expect(names).toEqual(['byStatus'])
    expect(await table.create()).toBe(false)
    expect(await table.missing()).toHaveLength(1)
    await createIndexes(shop.client, table)
    expect(await table.missing()).toEqual([])
    await shop.client.send(new DeleteTableCommand({ TableName: table.definition().tableName }))
    await expect(table.missing()).rejects.toThrow(/^there is no table .*; table.create\(\) makes it$/)
    await table.create()
  })

  test('a table of an earlier version goes on as it was; an index that its items lack is not used', async () => {
    await using shop = await openShop(engine, orders)
    for (const i of range(6)) await shop.process(orders).orders.create(order(i))
    await forgetStates(shop)
    await createIndexes(shop.client, shop.process(ordersByStatus).table)
    const { items, plan } = await shop.process(ordersByStatus).orders.list(SENT)
    expect({ found: items.length, plan: plan.text }).toEqual({ found: 3, plan: expect.stringMatching(/^all\[/) })
    expect(await shop.process(ordersByStatus).table.indexStates()).toMatchObject([
      { index: 'all', state: 'ready' },
      { index: 'byStatus', state: 'filling' },
    ])
    // Remembered, so that the next process need not look.
    const names: string[] = []
    await shop.process(ordersByStatus, noting(shop.client, names)).orders.list(SENT)
    expect(names).toEqual(['GetItemCommand', 'QueryCommand'])
  })

  test('an index that is deleted while it is in use is planned without', async () => {
    await using shop = await openShop(engine, ordersByStatus)
    const { orders: things } = shop.process(ordersByStatus)
    for (const i of range(4)) await things.create(order(i))
    expect((await things.list(SENT)).plan.text).toMatch(/^byStatus\[/)
    await deleteIndex(shop.client, shop.tableName, 'byStatus')
    const { items, plan } = await things.list(SENT)
    expect(items).toHaveLength(2)
    expect(plan.text).toMatch(/^all\[/)
    expect(plan.limits).toContainEqual(expect.stringContaining('byStatus is absent'))
  })

  test('a process that may only query goes on as before there were states', async () => {
    await using shop = await openShop(engine, ordersByStatus)
    await shop.process(ordersByStatus).orders.create(order(1))
    const denied = intercepted<DynamoDBClient>(shop.client, (command, send) =>
      [GetItemCommand, ScanCommand, PutItemCommand].some((kind) => command instanceof kind)
        ? Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' }))
        : send(command),
    )
    expect((await shop.process(ordersByStatus, denied).orders.list(SENT)).items).toHaveLength(1)
  })

  test('another condition under the same name is refused, since processes read the index by the first', async () => {
    const sparse = (status: 'NEW' | 'SENT') => ordersWith({ all: {}, some: { only: { status: [status] } } })
    await using shop = await openShop(engine, sparse('SENT'))
    const before = shop.process(sparse('SENT'))
    for (const i of range(4)) await before.orders.create(order(i))
    const after = shop.process(sparse('NEW'))
    await expect(after.table.backfill()).rejects.toMatchObject({ code: 'declaration_invalid' })
    await after.orders.create(order(4))
    const { items, plan } = await after.orders.list({ scope: 'c1', where: { status: 'NEW' } })
    expect({ ids: items.map(({ id }) => id), plan: plan.text }).toEqual({
      ids: ['1004', '1002', '1000'],
      plan: expect.stringMatching(/^all\[/),
    })
    expect((await before.orders.list(SENT)).items.map(({ id }) => id)).toEqual(['1003', '1001'])
  })
})

describe('a backfill', () => {
  const [engine] = testEngines() as [TestEngine]

  test('reads again what another process changed or deleted meanwhile, and overwrites nothing', async () => {
    await using shop = await openShop(engine, orders)
    const before = shop.process(orders)
    for (const i of range(10)) await before.orders.create(order(i))
    const raced = new Set<string>()
    const racing = intercepted<DynamoDBClient>(shop.client, async (command, send) => {
      const id = command instanceof UpdateItemCommand ? command.input.Key?.PK?.S : undefined
      if (id?.startsWith('ORDER#') && !raced.has(id)) {
        raced.add(id)
        const number = Number(id.slice('ORDER#'.length))
        // Behind the library's back, so that only the condition stands between.
        if (number % 3 === 0) await spoil(shop, String(number), 'status', number % 2 === 0 ? 'SENT' : 'NEW')
        if (number % 3 === 1) await before.orders.delete(String(number))
      }
      return send(command)
    })
    await createIndexes(shop.client, shop.process(ordersByStatus).table)
    const after = shop.process(ordersByStatus, racing)
    const { collections } = await after.table.backfill()
    expect(collections[0]).toMatchObject({ again: 7 })
    const all = (await after.orders.list({ scope: 'c1' })).items
    expect(all.map(({ id }) => Number(id) % 3)).not.toContain(1)
    for (const status of ['NEW', 'SENT'] as const) {
      const { items, plan } = await after.orders.list({ scope: 'c1', where: { status } })
      expect(plan.text).toMatch(/^byStatus\[/)
      expect(items).toEqual(all.filter((item) => item.status === status))
    }
  })

  test('that gives an item its keys while it is patched leaves none behind', async () => {
    const collection = ordersWith({ all: {}, fresh: { only: { status: ['NEW'] } } })
    await using shop = await openShop(engine, collection)
    const before = shop.process(collection)
    await before.orders.create(order(0))
    await spoil(shop, '1000', 'k@fresh', undefined)
    let updates = 0
    const racing = intercepted<DynamoDBClient>(shop.client, async (command, send) => {
      // Between the patch's look at the item, which lacks the key, and its write.
      if (command instanceof UpdateItemCommand && ++updates === 1)
        expect((await before.table.backfill()).collections[0]).toMatchObject({ written: 1 })
      return send(command)
    })
    await shop.process(collection, racing).orders.patch('1000', { status: 'SENT' })
    expect((await before.orders.list({ scope: 'c1', where: { status: 'NEW' } })).items).toEqual([])
    expect((await before.table.backfill({ dryRun: true })).collections[0]).toMatchObject({ written: 0 })
  })

  test('that is killed goes on where it was, and one at a time does it', async () => {
    await using shop = await openShop(engine, orders)
    const before = shop.process(orders)
    for (let i = 0; i < 240; i += 40) await Promise.all(range(40).map((j) => before.orders.create(order(i + j))))
    await createIndexes(shop.client, shop.process(ordersByStatus).table)
    let updates = 0
    const dying = intercepted<DynamoDBClient>(shop.client, async (command, send) => {
      const isItem = command instanceof UpdateItemCommand && command.input.Key?.PK?.S?.startsWith('ORDER#')
      if (isItem && ++updates === 90) await new Promise((resolve) => setTimeout(resolve, 1_100))
      if (updates > 150) throw new Error('killed')
      return send(command)
    })
    // A budget has small pages.
    const options = { segments: 1, capacity: 10_000 }
    await expect(shop.process(ordersByStatus, dying).table.backfill(options)).rejects.toThrow('killed')
    let later = 0
    const counting = intercepted<DynamoDBClient>(shop.client, (command, send) => {
      const isItem = command instanceof UpdateItemCommand && command.input.Key?.PK?.S?.startsWith('ORDER#')
      if (isItem) later++
      return send(command)
    })
    const after = shop.process(ordersByStatus, counting)
    const { complete, collections } = await after.table.backfill(options)
    expect({ complete, collections }).toMatchObject({ complete: true, collections: [{ items: 240 }] })
    expect(later).toBeLessThan(100)
    expect((await after.orders.list(SENT)).plan.text).toMatch(/^byStatus\[/)
    const all = await after.table.backfill({ dryRun: true })
    expect(all.collections[0]).toMatchObject({ items: 240, written: 0 })
  })

  test('mends keys that are missing, wrong or one too many, which verify tells', async () => {
    const collection = ordersWith({
      all: {},
      byStatus: { partition: ['status'] },
      sent: { only: { status: ['SENT'] } },
    })
    await using shop = await openShop(engine, collection)
    const { orders: things, derived, table } = shop.process(collection)
    for (const i of range(6)) await things.create(order(i))
    expect((await derived.verify()).differenceCount).toBe(0)
    await spoil(shop, '1001', 'k', undefined)
    await spoil(shop, '1002', 'k.status', 'ORDER/c1/SENT')
    await spoil(shop, '1004', 'k@sent', 'ORDER/c1')
    const { differences, differenceCount } = await derived.verify()
    expect(differenceCount).toBe(3)
    expect(differences.map(({ kind, projection, target, name }) => [kind, projection, target.PK, name])).toEqual(
      expect.arrayContaining([
        ['missing', 'keys', 'ORDER#1001', 'k'],
        ['wrong', 'keys', 'ORDER#1002', 'k.status'],
        ['dangling', 'keys', 'ORDER#1004', 'k@sent'],
      ]),
    )
    expect((await table.backfill()).collections[0]).toMatchObject({ written: 3 })
    expect((await derived.verify()).differenceCount).toBe(0)
  })
})
