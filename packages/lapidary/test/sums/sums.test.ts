import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, defineCollection, type LapidaryError, lookup } from 'lapidary'
import { chosenSeed, seededRandom } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { dividedDecimal } from '../../src/model/decimal.ts'
import { countsPartition } from '../derived-keys.ts'
import { scan } from '../stream/recount.ts'
import { openTestTable } from '../test-table.ts'
import {
  amountsOf,
  CUSTOMERS,
  counted,
  type Order,
  type Orders,
  openOrders,
  orders,
  plain,
  STATUSES,
  untilCounted,
  writeOrders,
} from './orders.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.SUMS_SEED)
console.info(`SUMS_SEED=${seed}`)

/** Expects every sum of every filter to be what adding up by hand gives. */
async function expectSums({ orders }: Orders, held: readonly Order[]): Promise<void> {
  const filters: readonly { readonly where: object; readonly lets: (order: Order) => boolean }[] = [
    { where: {}, lets: () => true },
    { where: { status: ['PAID', 'SENT'] }, lets: ({ status }) => status !== 'OPEN' },
    {
      where: { channel: 'total', status: ['OPEN'] },
      lets: (o) => o.channel === 'total' && o.status === 'OPEN',
    },
    { where: { tags: ['gift'] }, lets: ({ tags }) => tags?.includes('gift') === true },
    {
      where: { tags: ['rush'], channel: 'web' },
      lets: (o) => o.channel === 'web' && o.tags?.includes('rush') === true,
    },
  ]
  for (const scope of [...CUSTOMERS, CUSTOMERS]) {
    for (const { where, lets } of filters) {
      const selected = held.filter((order) => ([scope].flat() as string[]).includes(order.customer) && lets(order))
      const { sum, count } = amountsOf(selected)
      const { total, sums } = await orders.count({ scope, where, sums: ['amount', 'units', 'points'] })
      expect(total).toBe(selected.length)
      expect(sums?.amount).toEqual({ sum, count, average: count === 0 ? null : dividedDecimal(sum, count) })
      const units = selected.flatMap((order) => order.units ?? [])
      expect(sums?.units.sum).toBe(units.reduce((all, each) => all + each, 0))
      expect(sums?.points.sum).toBe(9_007_199_254_740_993n * BigInt(selected.length))
    }
  }
}

test('sums are exact through changes, moves and deletes, and a rebuild, a repair and a build anew give the same', async () => {
  await using table = await openOrders(engine)
  const { lapidary, client, tableName } = table
  const random = seededRandom(seed)
  const held = await writeOrders(lapidary, random, 120)
  await untilCounted(lapidary, held)
  await expectSums(lapidary, held)
  expect(await lapidary.derived.verify()).toMatchObject({ differenceCount: 0, uncountable: 0 })

  const Key = { PK: { S: countsPartition(orders, 'a') }, SK: { S: '~' } }
  const names = { '#sum': 'sum_total.amount' }
  const spoil = { UpdateExpression: 'SET #sum = :sum', ExpressionAttributeNames: names }
  const values = { ':sum': { S: '0.30000000000000004' } }
  await client.send(new UpdateItemCommand({ TableName: tableName, Key, ...spoil, ExpressionAttributeValues: values }))
  const { differences } = await lapidary.derived.verify()
  expect(differences).toMatchObject([{ kind: 'wrong', name: 'sum_total.amount', target: { SK: '~' } }])
  expect(await lapidary.derived.repair()).toMatchObject({ mended: 1 })
  await expectSums(lapidary, held)
  expect(await lapidary.derived.verify()).toMatchObject({ differenceCount: 0 })

  for (const { PK, SK } of await scan(client, tableName)) {
    if (PK?.S?.startsWith('~counts.') !== true || SK === undefined || random() < 0.5) continue
    await client.send(
      new UpdateItemCommand({ TableName: tableName, Key: { PK, SK }, ...spoil, ExpressionAttributeValues: values }),
    )
  }
  await lapidary.derived.rebuild('counts')
  expect(await lapidary.derived.verify()).toMatchObject({ differenceCount: 0 })
  await vi.waitFor(() => expectSums(lapidary, held), PATIENCE)
}, 300_000)

test('sums that are declared later are unknown, and not zero, until they are made from the items', async () => {
  await using table = await openOrders(engine)
  const { client, tableName } = table
  const options = { client, tableName, cursorSecret: 'a secret of the tests', derived: { counts: true } } as const
  const without = createLapidary({ ...options, collections: { orders: counted }, stream: { immediate: true } })
  const held = await writeOrders(table.lapidary, seededRandom(seed + 1), 30)
  await without.derived.rebuild('counts')
  expect((await without.orders.count({ scope: 'a' })).total).toBe(
    held.filter(({ customer }) => customer === 'a').length,
  )
  const refused = without.orders.count({ scope: 'a', sums: ['amount'] as never })
  await expect(refused).rejects.toMatchObject({
    code: 'unprocessable',
    details: { errors: [{ path: 'sums[0]', message: expect.stringContaining('which are none') }] },
  } satisfies Partial<LapidaryError>)

  const other = { ...orders, sums: ['amount'] } as typeof orders
  const later = createLapidary({ ...options, collections: { orders: other }, stream: { immediate: true } })
  const asked = { scope: 'a', sums: ['amount'] } as const
  expect(await later.orders.count(asked)).toMatchObject({ total: null, sums: null, unknown: 'absent' })
  await later.derived.rebuild('counts')
  const { sum, count } = amountsOf(held.filter(({ customer }) => customer === 'a'))
  const known = async () => (await later.orders.count(asked)).sums?.amount
  await vi.waitFor(async () => expect(await known()).toMatchObject({ sum, count }), PATIENCE)
}, 300_000)

test('an item whose value is no number is left out whole, and verify says which and why', async () => {
  await using table = await openOrders(engine)
  const { lapidary, client, tableName } = table
  const order = { customer: 'a', channel: 'web', status: 'OPEN', amount: '1.5', points: 1n } as const
  for (const id of ['good', 'bad']) await lapidary.orders.create({ ...order, id })
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { PK: { S: 'ORDER#bad' }, SK: { S: '~' } },
      UpdateExpression: 'SET amount = :amount',
      ExpressionAttributeValues: { ':amount': { S: 'twelve' } },
    }),
  )
  await lapidary.stream.catchUp()
  const reason = 'amount is "twelve", no number, so the item can\'t be counted'
  const [letter] = await lapidary.stream.deadLetters.list()
  expect(letter).toMatchObject({ key: { PK: 'ORDER#bad' }, reason })
  expect(await lapidary.derived.verify()).toMatchObject({
    ...{ differences: [], uncountable: 1 },
    uncountableItems: [{ key: { PK: 'ORDER#bad' }, reason }],
  })
  const counts = await lapidary.orders.count({ scope: 'a', sums: ['amount'] })
  expect(counts).toMatchObject({ total: 1, sums: { amount: { sum: '1.5', average: '1.5', count: 1 } } })
}, 300_000)

test('a count tells of the facets that it was asked for, each whatever is chosen of itself', async () => {
  await using table = await openOrders(engine)
  const { lapidary } = table
  const held = await writeOrders(lapidary, seededRandom(seed + 2), 30)
  await untilCounted(lapidary, held)
  const scope = 'a'
  const where = { status: 'OPEN', channel: 'web' } as const
  const all = await lapidary.orders.count({ scope, where })
  expect(Object.keys(all.facets ?? {})).toEqual(['channel', 'status', 'tags'])
  expect(all.sums).toEqual({})
  const some = await lapidary.orders.count({ scope, where, by: ['status'] })
  expect(some.facets).toEqual({ status: all.facets?.status })
  for (const status of STATUSES) {
    const items = held.filter((each) => each.customer === scope && each.channel === 'web' && each.status === status)
    expect(some.facets?.status?.[status]).toBe(items.length)
  }
  expect((await lapidary.orders.count({ scope, where, by: [] })).facets).toEqual({})
  expect((await lapidary.orders.count({ scope: 'd', sums: ['amount', 'units'] })).sums).toEqual({
    amount: { sum: '0', average: null, count: 0 },
    units: { sum: 0, average: null, count: 0 },
  })
  for (const [asked, path] of [
    [{ by: ['colour'] }, 'by[0]'],
    [{ by: 'status' }, 'by'],
    [{ by: ['status', 7] }, 'by[1]'],
    [{ sums: ['at'] }, 'sums[0]'],
    [{ sums: ['__proto__'] }, 'sums[0]'],
  ] as const) {
    await expect(lapidary.orders.count({ scope, ...asked } as never)).rejects.toMatchObject({
      code: 'unprocessable',
      details: { errors: [{ path }] },
    })
  }
}, 300_000)

test('a verify of some scopes takes what is summed from the items, where lists do not show it', async () => {
  const attributes = {
    ...{ id: 'id', customer: 'customer', channel: 'channel', status: 'status', tags: 'tags', at: 'at', units: 'units' },
    ...{ amount: lookup('amount'), points: lookup('points') },
  }
  await using table = await openTestTable(
    engine,
    {
      orders: defineCollection({ ...plain, attributes, sums: ['amount'], leaderboards: { top: { sum: 'amount' } } }),
    },
    { derived: { counts: true } },
  )
  const { lapidary } = table
  for (const [i, amount] of ['0.1', '0.2', null].entries())
    await lapidary.orders.create({ id: `o${i}`, customer: 'a', channel: 'web', status: 'OPEN', amount, points: 1n })
  await lapidary.derived.rebuild('statistics')
  const counts = await lapidary.orders.count({ scope: 'a', sums: ['amount'] })
  expect(counts.sums).toEqual({ amount: { sum: '0.3', average: '0.15', count: 2 } })
  expect(await lapidary.derived.verify({ sample: 1 })).toMatchObject({ differences: [], items: 3 })
}, 300_000)
