import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import type { Page } from 'lapidary'
import { type AttachedTable, attach } from 'lapidary/attach'
import { awkwardId, chosenSeed, createOracle } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { electroWriter, type Order, STATUSES, toolboxWriter, type Writer } from './writers.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`attached tables: FC_SEED=${seed}`)
const cursorSecret = 'a secret of the tests'
const [, local] = testEngines()
if (local === undefined) throw new Error('DynamoDB Local is not there')

async function createForeignTable(client: DynamoDBClient): Promise<string> {
  const TableName = uniqueTableName()
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  )
  return TableName
}

/** Adds the indexes that a table lacks, as printed; DynamoDB fills them. */
async function addIndexes(client: DynamoDBClient, table: AttachedTable): Promise<void> {
  for (const update of await table.missing()) {
    await client.send(new UpdateTableCommand(update))
    for (;;) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: update.TableName }))
      if (Table?.GlobalSecondaryIndexes?.every(({ IndexStatus }) => IndexStatus === 'ACTIVE')) break
      await sleep(20)
    }
  }
}

const orderOf = (orderId: fc.Arbitrary<string>): fc.Arbitrary<Order> =>
  fc.record(
    {
      orderId,
      customerId: fc.constantFrom('c1', 'c1', 'c1', 'c2', 'c1#'),
      status: fc.constantFrom(...STATUSES),
      channel: fc.constantFrom('web', 'shop', 'a/b #'),
      stars: fc.constantFrom(1, 2.5, 3),
      // Few, so that ties are many.
      placedAt: fc.constantFrom(-1.5, 0, 1_600_000_000_000, 1_600_000_000_001),
    },
    { requiredKeys: ['orderId', 'customerId', 'status', 'stars', 'placedAt'], noNullPrototype: true },
  )

const ordersOf = (prefix: string, most: number): fc.Arbitrary<readonly Order[]> =>
  fc.uniqueArray(orderOf(awkwardId().map((id) => `${prefix}${id}`)), {
    ...{ minLength: most / 2, maxLength: most, size: 'max' },
    selector: ({ orderId }) => orderId,
  })

const query = fc.record(
  {
    scope: fc.constantFrom('c1', 'c1', 'c2', 'c1#', 'c3'),
    where: fc.record(
      {
        status: fc.subarray([...STATUSES]),
        channel: fc.subarray(['web', 'shop', 'a/b #', null]),
        stars: fc.subarray([1, 2.5, 3, 4]),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    from: fc.constantFrom(-1.5, 0, 1e-200, 5, 1e300, -1e300),
    to: fc.constantFrom(0, 1_600_000_000_001, 1_600_000_000_001, 2e12, -1e-200, 1e300),
    order: fc.constantFrom<'newest' | 'oldest'>('newest', 'oldest'),
    limit: fc.constantFrom(1, 1, 7, 100),
  },
  { requiredKeys: ['scope', 'order', 'limit'], noNullPrototype: true },
)

const client = createSdkClient(local)
const tables: string[] = []
afterAll(() => dropTables(client, tables))

describe.each([
  ['ElectroDB', electroWriter],
  ['DynamoDB-Toolbox', toolboxWriter],
])('a table that %s writes', (_, writerOf) => {
  let tableName: string
  let writer: Writer
  const oracle = () => createOracle<Order>(writer.attachment.collection)
  const attached = () => attach({ client, tableName, collections: { orders: writer.attachment }, cursorSecret })
  const items = async () => (await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }))).Items
  const [before, during] = [
    fc.sample(ordersOf('a', 60), { numRuns: 1, seed })[0] ?? [],
    fc.sample(ordersOf('b', 40), { numRuns: 1, seed })[0] ?? [],
  ]

  beforeAll(async () => {
    tableName = await createForeignTable(client)
    tables.push(tableName)
    writer = writerOf(client, tableName)
    for (const order of before) await writer.put('order', order)
    for (const order of before.slice(0, 20)) await writer.put('return', { ...order, orderId: `${order.orderId}r` })
  })

  test('is refused for lists until it has an index, and then none of its items is rewritten', async () => {
    const shop = attached()
    await expect(shop.orders.list({ scope: 'c1' })).rejects.toMatchObject({
      ...{ code: 'table_mismatch', message: expect.stringMatching(/no index for lists yet: all .*table\.missing/) },
    })
    expect((await shop.table.check()).map(({ what, actual }) => `${what} ${actual}`)).toEqual([
      ...['all', 'byStatus', 'byChannel', 'byStatusAndStars'].map((name) => `index ${name} missing`),
      expect.stringMatching(/^attribute channel of ORDER missing in \d+ of \d+ items/),
    ])
    const written = await items()
    await addIndexes(client, shop.table)
    expect(await items()).toEqual(written)
    expect(await shop.table.missing()).toEqual([])
    await expect(shop.orders.list({ scope: 'c1' })).resolves.toMatchObject({ items: expect.any(Array) })
  })

  test('gives what a filter in memory gives, on any page, and no item of another entity', async () => {
    const truth = oracle()
    for (const order of before) truth.put(order)
    const { orders } = attached()
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const expected = truth.matching(asked as never)
        const pages: Page<Order>[] = []
        for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.cursors.next ?? null) {
          const page: Page<Order> = await orders.list({ ...asked, cursor: cursor ?? undefined } as never)
          pages.push(page)
          expect(pages.length).toBeLessThanOrEqual(expected.length / asked.limit + 1)
        }
        expect(pages.flatMap((page) => page.items)).toEqual(expected)
        const back: Order[] = []
        for (let cursor = pages.at(-1)?.cursors.previous ?? null; cursor !== null; ) {
          const page: Page<Order> = await orders.list({ ...asked, cursor } as never)
          back.unshift(...page.items)
          cursor = page.cursors.previous
        }
        expect([...back, ...(pages.at(-1)?.items ?? [])]).toEqual(expected)
      }),
      { seed, numRuns: 25 },
    )
  })

  test('goes on being written: what was there throughout comes exactly once, among ties, by pages of one', async () => {
    const { orders } = attached()
    const writes = during.values()
    const seen: string[] = []
    let cursor: string | null | undefined
    let pages = 0
    do {
      const page: Page<Order> = await orders.list({ scope: 'c1', limit: 1, cursor: cursor ?? undefined })
      seen.push(...page.items.map(({ orderId }) => orderId))
      cursor = page.cursors.next
      pages++
      const order = writes.next().value
      if (order !== undefined) await writer.put('order', order)
      if (pages === 3)
        for (const gone of before.filter(({ customerId }) => customerId === 'c2')) await writer.delete(gone)
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(seen.length)
    const stayed = before.filter(({ customerId }) => customerId === 'c1').map(({ orderId }) => orderId)
    expect(seen.filter((id) => stayed.includes(id)).toSorted()).toEqual(stayed.toSorted())
    expect((await orders.list({ scope: 'c2' })).items.every(({ orderId }) => orderId.startsWith('b'))).toBe(true)
  })

  test('is only read: what would write or count says that it is not there', async () => {
    const { orders } = attached()
    for (const member of ['create', 'patch', 'delete', 'count', 'get', 'page', 'leaderboard']) {
      expect(() => (orders as never as Record<string, () => unknown>)[member]?.()).toThrow(
        expect.objectContaining({
          code: 'not_implemented',
          message: expect.stringContaining(`orders.${member} does not exist`),
        }),
      )
    }
  })

  test('looks no items up that were just written, and hides none', async () => {
    const { orders } = attached()
    for (const read of [orders.list, orders.explain])
      await expect(read({ scope: 'c1', written: ['a1'] })).rejects.toMatchObject({
        code: 'not_implemented',
        message: expect.stringContaining('leave out written'),
      })
  })
})
