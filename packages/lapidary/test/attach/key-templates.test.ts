import {
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { anyOf, defineCollection, oneOf } from 'lapidary'
import { attach, type KeyTemplate } from 'lapidary/attach'
import { awkwardId, chosenSeed, createOracle } from 'lapidary-testing'
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

/** The order value has at most 256 bytes, escaped. */
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
  // The longest that a sort key takes, ORDER# and the time before them: of 1 and of 3 bytes a character, and awkward at their ends.
  const longest = [
    'a'.repeat(993),
    `bbb${'\u20ac'.repeat(329)}\u0800`,
    'c'.repeat(992),
    `bb${'\u20ac'.repeat(329)}\u{10FFFF}`,
  ].map(
    (id, i): Order => ({
      id: id.slice(0, 993),
      customerId: 'c1',
      placedAt: TIMES[i % 2] ?? '',
      status: 'OPEN',
      amount: i,
    }),
  )
  for (const { id, customerId, placedAt, status, amount } of [...made, ...longest]) {
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
  // Other items of the partition, before and behind.
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

test('keys in another case and padded values are read as another library writes them', async () => {
  type Parcel = { readonly id: string; readonly customerId: string; readonly placedAt: string; readonly branch: number }
  const parcels = defineCollection({
    ...{ ...base, name: 'PARCEL', schema: schemaOf<Parcel>(), order: 'placedAt' },
    facets: { branch: anyOf('number') },
    attributes: { id: 'id', customerId: 'customerId', placedAt: 'placedAt', branch: 'branch' },
  })
  const template: KeyTemplate = {
    partition: ['pk', '$Shop#Customer_{customerId}'],
    sort: ['sk', '$Parcel_1#Branch_{branch}#{placedAt}#{id}'],
    casing: { partition: 'lower', sort: 'none' },
    padding: { branch: { length: 4, char: '0' }, customerId: { length: 6, char: '_' } },
  }
  const parcelOracle = createOracle(parcels)
  for (const [i, customerId] of ['Ab1', 'aB1', '_Ab1', 'Ab1', 'Ab1', 'Other-long'].entries()) {
    const parcel = { id: `P${i}`, customerId, placedAt: TIMES[i % 3] ?? '', branch: [7, 70, 12345][i % 3] ?? 0 }
    parcelOracle.put(parcel)
    const { branch, ...texts } = parcel
    const keyed = {
      pk: { S: `$Shop#Customer_${customerId.padStart(6, '_')}`.toLowerCase() },
      sk: { S: `$Parcel_1#Branch_${String(branch).padStart(4, '0')}#${parcel.placedAt}#${parcel.id}` },
      ...{ type: { S: 'PARCEL' }, branch: { N: String(branch) } },
    }
    const own = Object.fromEntries(Object.entries(texts).map(([name, S]) => [name, { S }]))
    await client.send(new PutItemCommand({ TableName, Item: { ...own, ...keyed } }))
  }
  const open = (given: object) =>
    attach({
      client,
      tableName: TableName,
      cursorSecret: 'a secret of the tests',
      collections: { parcels: { collection: parcels, kind: { type: 'PARCEL' }, keys: [{ ...template, ...given }] } },
    })
  const { parcels: lists, table } = open({})
  expect((await table.check()).filter(({ what }) => what.startsWith('key '))).toEqual([])
  for (const scope of ['Ab1', 'aB1', '_Ab1', 'Other-long', 'none', ['Ab1', 'aB1']])
    for (const branch of [[7], [70, 12345], [7, 70, 12345]])
      for (const order of ['newest', 'oldest'] as const) {
        const query = { scope, where: { branch }, order, limit: 1 } as const
        expect(await collect(lists.iterate(query as never))).toEqual(parcelOracle.matching(query as never))
      }
  // Without it the keys are others, which the check says.
  expect(await open({ padding: {} }).table.check()).toContainEqual(
    expect.objectContaining({ what: 'key sk of PARCEL' }),
  )
  expect(await open({ casing: {} }).table.check()).toContainEqual(expect.objectContaining({ what: 'key pk of PARCEL' }))
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ casing: { sort: 'lower' } }, /keys of table have a casing for sort, .* casing none/],
    [{ casing: { partition: 'default' } }, /the casing "default"; it is lower, upper or none/],
    [{ padding: { id: { length: 8, char: '0' } } }, /padding for id, .*\(customerId,branch\)/],
    [{ padding: { placedAt: { length: 30, char: ' ' } } }, /padding for placedAt/],
    [{ padding: { branch: { length: 0, char: '0' } } }, /pad branch to 0 with "0"/],
    [{ padding: { branch: { length: 4, char: '00' } } }, /with one character/],
  ]
  for (const [given, message] of refused) expect(() => open(given)).toThrow(message)
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
    ['{customerId}', 'ORDER#{placedAt}#{id', /an unmatched brace/],
  ]
  for (const [partition, sort, message] of refused) {
    const templates: readonly KeyTemplate[] = [{ partition: ['pk', partition], sort: ['sk', sort] }]
    const collections = { orders: { collection: orders, keys: templates } }
    const open = () => attach({ client, tableName: TableName, cursorSecret: 'a secret of the tests', collections })
    expect(open, sort).toThrow(message)
  }
})
