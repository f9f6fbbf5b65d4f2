import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, test } from 'vitest'
import type { TestEngine } from '../../../../test/engines/index.ts'
import { anyOf, defineCollection, type Item, oneOf } from '../../src/index.ts'
import { importItems } from '../../src/transfer/index.ts'
import { type Comment, comment, comments, schemaOf } from '../comments-fixture.ts'
import { openTestTable, type TestTable } from '../test-table.ts'

function sent(given: Partial<Comment> = {}): Omit<Comment, 'version' | 'updatedAt'> {
  const { version, updatedAt, ...rest } = comment(given)
  return rest
}

interface Order {
  readonly id: string
  readonly customer: string
  readonly at: string
  readonly qty: number
  readonly status: string
  readonly note?: string
}

/** As most schema libraries do, it leaves out what it does not know. */
const orderSchema: StandardSchemaV1<unknown, Order> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      const known = ['id', 'customer', 'at', 'qty', 'status', 'note']
      return {
        value: Object.fromEntries(Object.entries(value as Order).filter(([name]) => known.includes(name))) as never,
      }
    },
  },
}

interface Parcel {
  readonly id: string
  readonly customer: string
  readonly at: string
  readonly size: { readonly width: number }
  readonly note?: string
}

/** It leaves out what it does not know, inside its map too. */
const sizedSchema: StandardSchemaV1<unknown, Parcel> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      const { id, customer, at, size, note } = value as Parcel
      return { value: { id, customer, at, size: { width: size.width }, ...(note === undefined ? {} : { note }) } }
    },
  },
}

/** Orders whose schema takes numbers that facets of an index and of a filter compare. */
const orders = defineCollection({
  name: 'ORDER',
  schema: orderSchema,
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'at',
  facets: { qty: anyOf('number'), status: oneOf() },
  indexes: { all: {}, byQty: { partition: ['qty'] }, open: { partition: ['status'], only: { status: ['OPEN'] } } },
})

/** Adds attributes that another program, or a newer version of this one, stores with an item. */
async function addForeign(
  { client, tableName }: Pick<TestTable<never>, 'client' | 'tableName'>,
  PK: string,
): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { PK: { S: PK }, SK: { S: '~' } },
      UpdateExpression: 'SET #ttl = :ttl, #mark = :mark',
      ExpressionAttributeNames: { '#ttl': 'ttl', '#mark': 'zz' },
      ExpressionAttributeValues: { ':ttl': { N: '4102444800' }, ':mark': { M: { seen: { BOOL: true } } } },
    }),
  )
}

async function stored(
  { client, tableName }: Pick<TestTable<never>, 'client' | 'tableName'>,
  PK: string,
): Promise<object> {
  const Key = { PK: { S: PK }, SK: { S: '~' } }
  return (await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item ?? {}
}

/** Tests that writes keep what they do not know, and store what was sent. */
export function describeWritePath(engines: readonly TestEngine[]): void {
  describe.each(engines)('the write path on $name', (engine) => {
    test('a patch keeps ttl and every attribute that it does not know', async () => {
      await using table = await openTestTable(engine, { comments, orders })
      const { lapidary } = table
      await lapidary.comments.create(sent())
      await addForeign(table, 'COMMENT#100001')
      await lapidary.comments.patch('100001', { rating: 1 })
      expect(await stored(table, 'COMMENT#100001')).toMatchObject({
        ttl: { N: '4102444800' },
        zz: { M: { seen: { BOOL: true } } },
      })

      // Without stored names every attribute is the item's own, also where the schema leaves it out.
      await lapidary.orders.create({ id: 'o1', customer: '7', at: '2024-01-01T00:00:00.000Z', qty: 5, status: 'OPEN' })
      await addForeign(table, 'ORDER#o1')
      await lapidary.orders.patch('o1', { qty: 6 })
      expect(await stored(table, 'ORDER#o1')).toMatchObject({
        ttl: { N: '4102444800' },
        zz: { M: { seen: { BOOL: true } } },
        'k.qty': { S: 'ORDER/7/6' },
      })
    })

    test('a patch removes what is given as undefined, and takes the item out of an index that it left', async () => {
      await using table = await openTestTable(engine, { orders })
      const { lapidary } = table
      const at = '2024-01-01T00:00:00.000Z'
      await lapidary.orders.create({ id: 'o1', customer: '7', at, qty: 5, status: 'OPEN', note: 'ring twice' })
      await lapidary.orders.patch('o1', { status: 'SHIPPED', note: undefined } as Item)
      expect(await lapidary.orders.get('o1')).toEqual({ id: 'o1', customer: '7', at, qty: 5, status: 'SHIPPED' })
      const keys = Object.keys(await stored(table, 'ORDER#o1'))
      expect(keys).not.toContain('note')
      expect(keys.filter((name) => name.includes('@open'))).toEqual([])
    })

    test('an item that another program stored without a version can be changed, and conflicts are still told', async () => {
      await using table = await openTestTable(engine, { orders })
      const { lapidary, client, tableName } = table
      await lapidary.orders.create({ id: 'o1', customer: '7', at: '2024-01-01T00:00:00.000Z', qty: 5, status: 'OPEN' })
      const Key = { PK: { S: 'ORDER#o1' }, SK: { S: '~' } }
      await client.send(
        new UpdateItemCommand({
          TableName: tableName,
          Key,
          UpdateExpression: 'REMOVE #v',
          ExpressionAttributeNames: { '#v': '~v' },
        }),
      )
      await lapidary.orders.patch('o1', { qty: 6 })
      expect(await stored(table, 'ORDER#o1')).toMatchObject({ '~v': { N: '1' }, qty: { N: '6' } })
      await expect(lapidary.orders.patch('o1', { qty: 7 }, { ifVersion: 9 })).rejects.toMatchObject({
        code: 'version_conflict',
      })
    })

    test('a patch gives an item that another program stored without index keys the keys that it lacks', async () => {
      await using table = await openTestTable(engine, { orders })
      const { lapidary, client, tableName } = table
      const at = '2024-01-01T00:00:00.000Z'
      await lapidary.orders.create({ id: 'o1', customer: '7', at, qty: 5, status: 'SHIPPED' })
      const before = await stored(table, 'ORDER#o1')
      const bare = Object.keys(before).filter((name) => /^[ks][.@]?/.test(name) && !['status'].includes(name))
      expect(bare.length).toBeGreaterThan(1)
      const names = Object.fromEntries(bare.map((name, i) => [`#n${i}`, name]))
      await client.send(
        new UpdateItemCommand({
          TableName: tableName,
          Key: { PK: { S: 'ORDER#o1' }, SK: { S: '~' } },
          // Keys that the item had as an open order, which it no longer is.
          UpdateExpression: `SET #gone = :gone REMOVE ${Object.keys(names).join(', ')}`,
          ExpressionAttributeNames: { ...names, '#gone': 'k.status@open' },
          ExpressionAttributeValues: { ':gone': { S: 'ORDER/7/OPEN' } },
        }),
      )
      expect((await lapidary.orders.list({ scope: '7' })).items).toEqual([])
      await lapidary.orders.patch('o1', { note: 'ring twice' })
      expect(await stored(table, 'ORDER#o1')).toEqual({ ...before, note: { S: 'ring twice' }, '~v': { N: '2' } })
      expect((await lapidary.orders.list({ scope: '7' })).items).toHaveLength(1)
    })

    test('a patch leaves a map alone in which the schema sees no change', async () => {
      const parcels = defineCollection({
        name: 'PARCEL',
        schema: sizedSchema,
        id: 'id',
        scope: { name: 'CUSTOMER', attribute: 'customer' },
        order: 'at',
        facets: {},
        indexes: { all: {} },
      })
      await using table = await openTestTable(engine, { parcels })
      const { lapidary, client, tableName } = table
      await lapidary.parcels.create({ id: 'p', customer: '7', at: '2024-01-01T00:00:00.000Z', size: { width: 1 } })
      await client.send(
        new UpdateItemCommand({
          TableName: tableName,
          Key: { PK: { S: 'PARCEL#p' }, SK: { S: '~' } },
          UpdateExpression: 'SET #size.#depth = :depth',
          ExpressionAttributeNames: { '#size': 'size', '#depth': 'depth' },
          ExpressionAttributeValues: { ':depth': { N: '9' } },
        }),
      )
      await lapidary.parcels.patch('p', { note: 'ring twice' })
      const size = { M: { width: { N: '1' }, depth: { N: '9' } } }
      expect(await stored(table, 'PARCEL#p')).toMatchObject({ size, note: { S: 'ring twice' } })
      await lapidary.parcels.patch('p', { size: { width: 2 } })
      expect(await stored(table, 'PARCEL#p')).toMatchObject({ size: { M: { width: { N: '2' } } } })
    })

    test('a change that was read before an import replaced the item is made to the imported one', async () => {
      await using table = await openTestTable(engine, { orders })
      const { lapidary } = table
      const order = { id: 'o1', customer: '7', at: '2024-01-01T00:00:00.000Z', qty: 5, status: 'OPEN' }
      await lapidary.orders.create(order)
      const version = (await stored(table, 'ORDER#o1')) as Record<string, { N: string }>
      await importItems(lapidary.orders, [{ ...order, qty: 6 }])
      const ifVersion = Number(version['~v']?.N)
      await expect(lapidary.orders.patch('o1', { status: 'SHIPPED' }, { ifVersion })).rejects.toMatchObject({
        code: 'version_conflict',
      })
      expect(await lapidary.orders.patch('o1', { status: 'SHIPPED' })).toMatchObject({ qty: 6, status: 'SHIPPED' })
    })

    test('an answer does not depend on the plan: a number as text is the number in an index and in a filter', async () => {
      await using table = await openTestTable(engine, { orders })
      const { lapidary } = table
      for (let i = 0; i < 6; i++) {
        const at = `2024-01-01T00:00:00.00${i}Z`
        await lapidary.orders.create({ id: `${i}`, customer: '7', at, qty: 5, status: i < 3 ? 'OPEN' : 'SHIPPED' })
      }
      const count = async (where: object): Promise<number> =>
        (await lapidary.orders.list({ scope: '7', where: where as never })).items.length
      expect(await count({ qty: '5' })).toBe(6)
      expect(await count({ qty: '5', status: 'OPEN' })).toBe(3)
      expect(await count({ qty: ['5', 6], status: 'SHIPPED' })).toBe(3)
      await expect(count({ qty: 'five' })).rejects.toMatchObject({ code: 'unprocessable' })
    })

    test('two collections under one parent share a table and its indexes, and no list', async () => {
      const returns = defineCollection({
        name: 'RETURN',
        schema: schemaOf<{ id: string; customer: string; at: string; status: string }>(),
        id: 'id',
        scope: { name: 'CUSTOMER', attribute: 'customer' },
        order: 'at',
        facets: { status: oneOf() },
        indexes: { all: {} },
      })
      await using table = await openTestTable(engine, { orders, returns })
      const { lapidary } = table
      const at = '2024-01-01T00:00:00.000Z'
      await lapidary.orders.create({ id: '1', customer: '7', at, qty: 5, status: 'OPEN' })
      await lapidary.returns.create({ id: '1', customer: '7', at, status: 'OPEN' })
      expect((await lapidary.orders.list({ scope: '7' })).items).toEqual([
        { id: '1', customer: '7', at, qty: 5, status: 'OPEN' },
      ])
      expect((await lapidary.returns.list({ scope: '7' })).items).toEqual([
        { id: '1', customer: '7', at, status: 'OPEN' },
      ])
    })
  })
}
