import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { anyOf, defineCollection, type Item, oneOf } from '../src/index.ts'
import { entryWrites } from '../src/writes/entry-writes.ts'
import { type Comment, comment, comments, schemaOf } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

function sent(given: Partial<Comment> = {}): Partial<Comment> {
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

/** What another program, or a newer version of this one, stores with an item. */
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

describe.each(testEngines())('the write path on $name', (engine) => {
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

test('of many entries those that stay are changed, those that are new put, those that are gone deleted', () => {
  const entry = (PK: string, SK: string, rest: object) => ({ PK: { S: PK }, SK: { S: SK }, ...rest })
  const before = [entry('C#1', '~', { r: { N: '4' } }), entry('C#1', 'en/4', { r: { N: '4' }, x: { S: 'a' } })]
  const after = [entry('C#1', '~', { r: { N: '5' } }), entry('C#1', 'en/5', { r: { N: '5' } })]
  expect(entryWrites(before, after)).toEqual([
    { kind: 'update', key: { PK: { S: 'C#1' }, SK: { S: '~' } }, set: { r: { N: '5' } }, remove: [] },
    { kind: 'put', key: { PK: { S: 'C#1' }, SK: { S: 'en/5' } }, entry: after[1] },
    { kind: 'delete', key: { PK: { S: 'C#1' }, SK: { S: 'en/4' } } },
  ])
})
