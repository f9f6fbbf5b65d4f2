/**
 * Lists over a table that ElectroDB writes and goes on writing: indexes whose keys are attributes that the orders have already, added by
 * UpdateTable and filled by DynamoDB. It needs an engine that can query such indexes: DynamoDB Local, which this starts (node
 * scripts/provision.mjs fetches it), or the one at DYNAMODB_ENDPOINT.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { Entity } from 'electrodb'
import { anyOf } from 'lapidary'
import { attach, fromElectroDb } from 'lapidary/attach'
import { openEngine } from 'lapidary-engine'
import { z } from 'zod'
import { startDynamoDbLocal } from '../../test/engines/dynamodb-local.ts'
import { forEach, show } from '../example.ts'

const given = process.env.DYNAMODB_ENDPOINT
await using local = given === undefined ? await startDynamoDbLocal() : undefined
await using engine = await openEngine({ endpoint: given ?? local?.endpoint })
const client = new DynamoDBClient(engine.clientConfig)
const table = `example-${randomBytes(4).toString('hex')}`

// The table and the entity of the other program.
await client.send(
  new CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  }),
)
const STATUSES = ['NEW', 'PAID', 'SENT'] as const
const entity = new Entity(
  {
    model: { entity: 'order', version: '1', service: 'shop' },
    attributes: {
      orderId: { type: 'string', required: true },
      customerId: { type: 'string', required: true },
      status: { type: STATUSES, required: true },
      stars: { type: 'number', required: true },
      total: { type: 'number', required: true },
    },
    indexes: {
      primary: { pk: { field: 'pk', composite: ['customerId'] }, sk: { field: 'sk', composite: ['orderId'] } },
    },
  } as const,
  { client, table },
)
const orderOf = (i: number) => ({
  orderId: `o${1000 + i}`,
  customerId: i % 4 === 0 ? 'c2' : 'c1',
  status: STATUSES[i % 9 === 2 ? 0 : i % 5 === 1 ? 1 : 2] ?? 'NEW',
  stars: 1 + ((i * 7) % 5),
  // Many orders cost the same.
  total: 10 * (1 + ((i * 13 + Math.floor(i / 20) * 3) % 20)),
})
const all = Array.from({ length: 400 }, (_, i) => orderOf(i))
await forEach(all, (order) => entity.put(order).go())

// The lists are by total, which another program's keys do not sort by.
const orders = fromElectroDb(entity, {
  schema: z.object({
    orderId: z.string(),
    customerId: z.string(),
    status: z.enum(STATUSES),
    stars: z.number(),
    total: z.number(),
  }),
  name: 'ORDER',
  id: 'orderId',
  scope: { name: 'CUSTOMER', attribute: 'customerId' },
  order: { attribute: 'total', type: 'number' },
  facets: { status: anyOf(STATUSES), stars: anyOf([1, 2, 3, 4, 5]) },
  itemBytes: 200,
})
const shop = attach({ client, tableName: table, collections: { orders }, cursorSecret: 'a secret for examples alone' })

console.log('The table lacks these indexes; DynamoDB fills them, and no item is rewritten:')
for (const update of await shop.table.missing()) {
  const index = update.GlobalSecondaryIndexUpdates?.[0]?.Create
  const keys = index?.KeySchema?.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ')
  console.log(`  ${index?.IndexName}: ${keys}`)
  await client.send(new UpdateTableCommand(update))
  const isBuilt = async (): Promise<boolean> => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
    return Table?.GlobalSecondaryIndexes?.every(({ IndexStatus }) => IndexStatus === 'ACTIVE') === true
  }
  while (!(await isBuilt())) await sleep(100)
}
for (const { what, actual, remedy } of await shop.table.check()) console.log(`  ${what} is ${actual}: ${remedy}`)

type Order = ReturnType<typeof orderOf>
const dearestFirst = (some: readonly Order[]): readonly Order[] =>
  some.toSorted((a, b) => b.total - a.total || (a.orderId < b.orderId ? 1 : -1))
await show(
  'Orders of c1 that are new or paid, the dearest first, among many of the same total',
  (cursor) => shop.orders.list({ scope: 'c1', where: { status: ['NEW', 'PAID'] }, limit: 10, cursor }),
  dearestFirst(all.filter(({ customerId, status }) => customerId === 'c1' && status !== 'SENT')),
)
await show(
  'Orders of c2 with five stars that cost 50 to 120: a range of numbers as the key of an index',
  (cursor) => shop.orders.list({ scope: 'c2', where: { stars: 5 }, from: 50, to: 120, cursor }),
  dearestFirst(
    all.filter(({ customerId, stars, total }) => customerId === 'c2' && stars === 5 && total >= 50 && total < 120),
  ),
)

// The other program goes on writing.
const more = Array.from({ length: 50 }, (_, i) => orderOf(1000 + i))
await forEach(more, (order) => entity.put(order).go())
await show(
  'Orders of c1 that are sent with one or two stars, after ElectroDB has written 50 more',
  (cursor) =>
    shop.orders.list({ scope: 'c1', where: { status: 'SENT', stars: [1, 2] }, order: 'oldest', limit: 25, cursor }),
  dearestFirst(
    [...all, ...more].filter(({ customerId, status, stars }) => customerId === 'c1' && status === 'SENT' && stars <= 2),
  ).toReversed(),
)
await client.send(new DeleteTableCommand({ TableName: table }))
client.destroy()
