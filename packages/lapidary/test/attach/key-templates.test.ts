import {
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, defineCollection, oneOf } from 'lapidary'
import { attach, type KeyTemplate } from 'lapidary/attach'
import { awkwardId, chosenSeed, createOracle } from 'lapidary/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { collect } from '../collect.ts'
import { schemaOf } from '../comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`key templates: FC_SEED=${seed}`)

type Order = {
  readonly id: string
  readonly customerId: string
  readonly placedAt: string
  readonly status: 'OPEN' | 'SENT'
  readonly amount: number
}

const base = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customerId' },
  facets: { status: oneOf(['OPEN', 'SENT']), amount: anyOf('number') },
  idOrder: 'raw',
  attributes: { id: 'id', customerId: 'customerId', placedAt: 'placedAt', status: 'status', amount: 'amount' },
} as const
const orders = defineCollection({ ...base, order: 'placedAt' })
const byId = defineCollection({ ...base, name: 'RECEIPT', order: { attribute: 'id', type: 'string' } })
const keys: readonly KeyTemplate[] = [
  { partition: ['pk', 'CUSTOMER#{customerId}'], sort: ['sk', 'ORDER#{placedAt}#{id}'] },
  { index: 'gsi1', partition: ['gsi1pk', '{customerId}'], sort: ['gsi1sk', '{status}#{placedAt}{id}'] },
]
const receiptKeys: readonly KeyTemplate[] = [
  { partition: ['pk', 'CUSTOMER#{customerId}'], sort: ['sk', 'RECEIPT#{id}'] },
]

/** What lists are ordered by has at most 256 bytes, escaped. */
const hasReceipt = ({ id }: Pick<Order, 'id'>): boolean => Buffer.byteLength(id) <= 80

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const TableName = uniqueTableName()
const oracle = createOracle(orders)
const TIMES = [0, 1, 2].map((ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString())
let client: DynamoDBClient

beforeAll(async () => {
  client = createTestClient(engine)
  const key = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType })
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'gsi1pk', 'gsi1sk'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [key('pk', 'HASH'), key('sk', 'RANGE')],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'gsi1',
          KeySchema: [key('gsi1pk', 'HASH'), key('gsi1sk', 'RANGE')],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  )
  const order = fc.record(
    {
      id: awkwardId(),
      customerId: fc.constantFrom('c1', 'c1', 'c2', 'c1#'),
      placedAt: fc.constantFrom(...TIMES),
      status: fc.constantFrom<Order['status']>('OPEN', 'SENT'),
      amount: fc.integer({ min: 0, max: 4 }),
    },
    { noNullPrototype: true },
  )
  const ids = fc.uniqueArray(order, { minLength: 60, maxLength: 80, selector: ({ id }) => id })
  const [made = []] = fc.sample(ids, { numRuns: 1, seed })
  for (const { id, customerId, placedAt, status, amount } of made) {
    oracle.put({ id, customerId, placedAt, status, amount })
    const shared = { id, customerId, placedAt, status }
    const texts = Object.fromEntries(Object.entries(shared).map(([name, S]) => [name, { S }]))
    const item = { ...texts, type: { S: 'ORDER' }, amount: { N: String(amount) }, pk: { S: `CUSTOMER#${customerId}` } }
    const sk = { S: `ORDER#${placedAt}#${id}` }
    const gsi1 = { gsi1pk: { S: customerId }, gsi1sk: { S: `${status}#${placedAt}${id}` } }
    const receipt = { ...item, type: { S: 'RECEIPT' }, sk: { S: `RECEIPT#${id}` } }
    const puts = [{ ...item, sk, ...gsi1 }, ...(hasReceipt({ id }) ? [receipt] : [])].map((Item) => ({
      PutRequest: { Item },
    }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }))
  }
  // What else is in the partition, before and behind.
  for (const sk of ['ADDRESS#1', 'PROFILE', 'ORDER', 'ORDER$', 'RECEIPT', 'RECEIPT~'])
    await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'CUSTOMER#c1' }, sk: { S: sk } } }))
})
afterAll(() => dropTables(client, [TableName]))

const attached = () =>
  attach({
    client,
    tableName: TableName,
    cursorSecret: 'a secret of the tests',
    collections: {
      orders: { collection: orders, kind: { type: 'ORDER' }, keys },
      receipts: { collection: byId, kind: { type: 'RECEIPT' }, keys: receiptKeys },
    },
  })

test('lists are read from the keys that the table has: filter, sort and slice, both ways, page by page', async () => {
  const { orders: lists, receipts, table } = attached()
  expect(await table.missing()).toEqual([])
  expect(await table.check()).toEqual([])
  const end = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
  const query = fc.record({
    scope: fc.constantFrom('c1', 'c2', 'c1#', 'c3', ['c1', 'c2']),
    where: fc.record(
      { status: fc.constantFrom('OPEN', 'SENT'), amount: fc.constantFrom([1, 2], { from: 1, to: 3 }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    order: fc.constantFrom('newest', 'oldest'),
    from: end(TIMES),
    to: end(TIMES),
    limit: fc.constantFrom(1, 3, 100),
  })
  const receiptOracle = createOracle(byId)
  for (const scope of ['c1', 'c2', 'c1#'])
    for (const item of oracle.matching({ scope }).filter(hasReceipt)) receiptOracle.put(item)
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const expected = oracle.matching(asked as never)
      expect(await collect(lists.iterate(asked as never))).toEqual(expected)
      const { from, to, ...whole } = asked
      const { items, cursors } = await lists.list(asked as never)
      if (cursors.next !== null) {
        const next = await lists.list({ ...asked, cursor: cursors.next } as never)
        expect(next.items).toEqual(expected.slice(asked.limit, 2 * asked.limit))
        const back = await lists.list({ ...asked, cursor: next.cursors.previous } as never)
        expect(back.items).toEqual(items)
      }
      expect(await collect(receipts.iterate(whole as never))).toEqual(receiptOracle.matching(whole as never))
    }),
    { numRuns: 40, seed },
  )
})

test('plans name the keys that they read, and an index that is not there is done without', async () => {
  const { orders: lists } = attached()
  const all = await lists.explain({ scope: 'c1' })
  expect(all.text).toMatch(/^table\[c1\] BY position DESC LIMIT 20 -- /)
  const open = await lists.explain({ scope: 'c1', where: { status: 'OPEN' } })
  expect(open.text).toMatch(/^gsi1\[c1:OPEN\] BY position DESC LIMIT 20 -- /)
  const [own] = keys as [KeyTemplate]
  const absent: KeyTemplate = {
    index: 'gsi2',
    partition: ['gsi2pk', '{customerId}#{status}'],
    sort: ['gsi2sk', '{placedAt}{id}'],
  }
  const wider = attach({
    client,
    tableName: TableName,
    cursorSecret: 'a secret of the tests',
    collections: { orders: { collection: orders, keys: [own, absent] } },
  })
  const { limits, text } = await wider.orders.explain({ scope: 'c1', where: { status: 'OPEN' } })
  expect(text).toMatch(/^table\[c1\] FILTER status IN \(OPEN\) /)
  expect(limits.join()).toMatch(/gsi2 is not used: index gsi2 is missing/)
})

test('a key that is made otherwise is told, and templates that say no order are refused', async () => {
  const strange = attach({
    client,
    tableName: TableName,
    cursorSecret: 'a secret of the tests',
    collections: {
      orders: {
        collection: orders,
        kind: { type: 'RECEIPT' },
        keys: [{ partition: ['pk', 'CUSTOMER#{customerId}'], sort: ['sk', 'RECEIPT#{placedAt}#{id}'] }],
      },
    },
  })
  expect((await strange.orders.list({ scope: 'c1' })).items).toEqual([])
  expect(await strange.table.check()).toContainEqual(
    expect.objectContaining({
      what: 'key sk of ORDER',
      actual: expect.stringMatching(/^another text in \d+ of \d+ items/),
    }),
  )
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['CUSTOMER', 'ORDER#{placedAt}#{id}', /name the scope once in the partition key, \{customerId\}/],
    ['{customerId}', 'ORDER#{placedAt}', /end in the time of an order and the id/],
    ['{customerId}', 'ORDER#{id}', /end in the time of an order and the id/],
    ['{customerId}', 'ORDER#{colour}#{placedAt}{id}', /name "colour", which is no facet/],
    ['{customerId}', 'ORDER#{placedAt}#{id', /a brace without its other one/],
  ]
  for (const [partition, sort, message] of refused) {
    const templates: readonly KeyTemplate[] = [{ partition: ['pk', partition], sort: ['sk', sort] }]
    const collections = { orders: { collection: orders, keys: templates } }
    const open = () => attach({ client, tableName: TableName, cursorSecret: 'a secret of the tests', collections })
    expect(open, sort).toThrow(message)
  }
})
