import { CreateTableCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { anyOf, defineCollection } from 'lapidary'
import { attach, type KeyTemplate } from 'lapidary/attach'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { schemaOf } from '../comments-fixture.ts'

type Order = { readonly id: string; readonly cu: string; readonly at: string; readonly status: string }

const shared = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  idOrder: 'raw',
  scope: { name: 'CUSTOMER', attribute: 'cu' },
  facets: { status: anyOf() },
  attributes: { id: 'id', cu: 'cu', at: 'at', status: 'status' },
} as const
const byTime = defineCollection({ ...shared, order: 'at' })
const byId = defineCollection({ ...shared, order: { attribute: 'id', type: 'string' } })
const kind = { type: 'order' }

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const tables: string[] = []
let client: DynamoDBClient
beforeAll(() => {
  client = createTestClient(engine)
})
afterAll(() => dropTables(client, tables))

const TIMES = [0, 1, 2].map((ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString())
const items = Array.from({ length: 18 }, (_, i): Order => {
  const [cu, status, at] = [['c1', 'c1#A'][i % 2], ['A', 'A#B', 'B'][i % 3], TIMES[i % 4 === 0 ? 1 : i % 3]] as string[]
  return { id: i % 5 === 0 ? `o1#${i}` : `o${i}`, cu: cu ?? '', at: at ?? '', status: status ?? '' }
})

type Texts = Readonly<Record<string, string>>

/** A table with the keys of the templates, the items with what these make of them, and other items as they are. */
async function tableOf(keys: readonly KeyTemplate[], strays: readonly Texts[]): Promise<string> {
  const TableName = uniqueTableName()
  tables.push(TableName)
  const schema = ({ partition, sort }: KeyTemplate) => [
    { AttributeName: partition[0], KeyType: 'HASH' as const },
    { AttributeName: sort[0], KeyType: 'RANGE' as const },
  ]
  const [own, ...others] = keys as [KeyTemplate, ...KeyTemplate[]]
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: keys
        .flatMap(({ partition, sort }) => [partition[0], sort[0]])
        .map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: schema(own),
      ...(others.length > 0 && {
        GlobalSecondaryIndexes: others.map((each) => ({
          IndexName: each.index,
          KeySchema: schema(each),
          Projection: { ProjectionType: 'ALL' as const },
        })),
      }),
    }),
  )
  const templates = keys.flatMap(({ partition, sort }) => [partition, sort])
  const made = items.map((item) => ({
    ...{ ...item, ...kind },
    ...Object.fromEntries(
      templates.map(([name, text]) => [name, text.replace(/\{(\w+)\}/g, (_, key: keyof Order) => item[key])]),
    ),
  }))
  for (const texts of [...strays, ...made]) {
    const Item = Object.fromEntries(Object.entries(texts).map(([name, S]) => [name, { S }]))
    await client.send(new PutItemCommand({ TableName, Item }))
  }
  return TableName
}

const open = (tableName: string, collection: typeof byTime | typeof byId, keys: readonly KeyTemplate[]) =>
  attach({
    client,
    tableName,
    cursorSecret: 'a secret of the tests',
    collections: { orders: { collection, kind, keys } },
  })

/** Every list, page by page of one item and back again, whole pages and such as stop at whatever was read. */
async function compare(lists: ReturnType<typeof open>['orders'], isBefore: (a: Order, b: Order) => boolean) {
  for (const scope of ['c1', 'c1#A'])
    for (const wanted of [undefined, ['A'], ['A#B'], ['A', 'B']])
      for (const order of ['newest', 'oldest'] as const)
        for (const maxCapacity of [undefined, 1]) {
          const asked = { scope, order, limit: 1, ...(wanted && { where: { status: wanted } }) }
          const expected = items
            .filter(({ cu, status }) => cu === scope && (wanted?.includes(status) ?? true))
            .sort((a, b) => (isBefore(a, b) === (order === 'oldest') ? -1 : 1))
            .map(({ id }) => id)
          for (const direction of ['next', 'previous'] as const) {
            const found: string[] = []
            let page = await lists.list({ ...asked, ...(maxCapacity && { maxCapacity }), attributes: ['id'] })
            if (direction === 'previous')
              while (page.cursors.next !== null) page = await lists.list({ ...asked, cursor: page.cursors.next })
            for (;;) {
              found.push(...page.items.map(({ id }) => id))
              const cursor = page.cursors[direction]
              if (cursor === null) break
              page = await lists.list({ ...asked, ...(maxCapacity && { maxCapacity }), cursor })
            }
            const inOrder = direction === 'next' ? expected : expected.toReversed()
            expect(found, JSON.stringify({ ...asked, maxCapacity, direction })).toEqual(inOrder)
          }
        }
}

test('in lists by time, what lies among an order’s keys is passed over, and so is what has the same keys by another scope or facet', async () => {
  const keys: readonly KeyTemplate[] = [
    { partition: ['pk', '{cu}'], sort: ['sk', 'ORDER#{at}_{id}'] },
    { index: 'gsi1', partition: ['pk1', '{cu}#{status}'], sort: ['sk1', '{at}#{id}'] },
  ]
  // Before, among and behind the ids of a time; `#` sorts before `_`, `~` behind it.
  const [at = ''] = TIMES
  const rests = [`${at}_o1#LINE#1`, `${at}#META`, `${at}~`, `${at}_`, at, '', '0', 'zz', `${TIMES[1]}#${at}`]
  const strays = rests.flatMap((rest, i) => [
    { pk: 'c1', sk: `ORDER#${rest}`, pk1: 'c1#A', sk1: rest === '' ? 'z' : rest, line: String(i) },
    {
      pk: 'c1#A',
      sk: `ORDER#${rest}`,
      pk1: 'c1#A#B',
      sk1: `${rest}z`,
      cu: 'c1#A',
      status: 'B',
      at,
      id: 'o1',
      type: 'line',
    },
  ])
  // Items of the kind, whose keys are not made of the scope, the facet or the id that they have.
  const moved = [
    { pk: 'c1', sk: `ORDER#${at}_x`, ...kind, cu: 'c2', status: 'A', at, id: 'x' },
    { pk: 'c9', sk: 'ORDER', pk1: 'c1#A', sk1: `${at}#y`, ...kind, cu: 'c1', status: 'Z', at, id: 'y' },
    { pk: 'c1', sk: `ORDER#${at}_z#2`, ...kind, cu: 'c1', status: 'A', at, id: 'z' },
  ]
  const { orders, table } = open(await tableOf(keys, [...strays, ...moved]), byTime, keys)
  await compare(orders, (a, b) => `${a.at}${a.id}` < `${b.at}${b.id}`)
  const told = (await table.check()).filter(({ actual }) => actual.includes('another kind'))
  expect(told.map(({ what, actual }) => `${what}: ${actual.replace(/as .*/, '')}`)).toEqual([
    'key sk of ORDER: 4 items of another kind in the sample among them, ',
    expect.stringMatching(/^key sk1 of ORDER: \d+ items of another kind in the sample among them, /),
  ])
})

test('in lists by id, the same', async () => {
  const keys: readonly KeyTemplate[] = [
    { partition: ['pk', '{cu}'], sort: ['sk', 'ORDER#{id}'] },
    { index: 'gsi1', partition: ['pk1', '{cu}'], sort: ['sk1', '{status}#{id}'] },
  ]
  const strays = ['', 'o1', 'o1#LINE#1', 'o1#LINE#2', 'o7#LINE#1', 'zz'].map((rest) => ({
    ...{ pk: 'c1', sk: `ORDER#${rest}`, pk1: 'c1', sk1: `A#${rest}` },
    ...(rest === 'zz' ? { ...kind, cu: 'c1', status: 'A', id: 'z' } : { type: 'line', id: 'o7' }),
  }))
  await compare(open(await tableOf(keys, strays), byId, keys).orders, (a, b) => a.id < b.id)
})

test('a long run of them takes few rounds, since each reads more than the one before', async () => {
  const keys: readonly KeyTemplate[] = [{ partition: ['pk', '{cu}'], sort: ['sk', 'ORDER#{id}'] }]
  const lines = Array.from({ length: 120 }, (_, i) => ({ pk: 'c1', sk: `ORDER#z#LINE#${i}`, type: 'line' }))
  const { orders } = open(await tableOf(keys, lines), byId, keys)
  const { items: found, plan } = await orders.list({ scope: 'c1', limit: 1 })
  expect(found.map(({ id }) => id)).toEqual(['o8'])
  expect(plan.actual?.rounds).toBeLessThan(20)
})
