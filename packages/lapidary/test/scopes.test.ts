import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  type Lapidary,
  oneOf,
  type Poller,
  powerSet,
  segments,
} from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { chosenSeed, createOracle } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'

interface Order {
  readonly id: string
  readonly customer: string
  readonly placedAt: string
  readonly status: 'OPEN' | 'SENT' | 'CANCELLED'
  readonly channel: string
}

const STATUSES = ['OPEN', 'SENT', 'CANCELLED'] as const
/** The last reads as a partition of all customers would, were it not escaped. */
const CUSTOMERS = ['c1', 'c2', 'c3', '~0']

const orders = defineCollection({
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { status: anyOf(STATUSES), channel: oneOf() },
  indexes: {
    byDate: {},
    byStatus: { partition: ['status'] },
    allByStatus: { partition: ['status'], across: 3 },
    allSent: { only: { status: ['SENT'] }, across: 2 },
  },
})

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const order = fc.record({
  customer: fc.constantFrom(...CUSTOMERS),
  status: fc.constantFrom(...STATUSES),
  channel: fc.constantFrom('web', 'shop'),
  minute: fc.nat(5),
})
const drawn: readonly Order[] = fc.sample(order, { numRuns: 120, seed }).map(({ minute, ...rest }, i) => ({
  ...rest,
  id: String(i),
  placedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
}))
const oracle = createOracle(orders)

let client: DynamoDBClient
let lapidary: Lapidary<{ orders: typeof orders }>
let poller: Poller
const tableName = uniqueTableName()

beforeAll(async () => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  client = createTestClient(engine)
  lapidary = createLapidary({
    ...{ client, tableName, collections: { orders }, cursorSecret: 'a secret of the tests' },
    derived: { counts: true, pages: segments() },
    stream: { immediate: true },
  })
  await lapidary.table.create()
  poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
  for (const each of drawn) oracle.put(each)
  await importItems(lapidary.orders, drawn)
  const total = async (): Promise<number | null> => (await lapidary.orders.count({ scope: CUSTOMERS })).total
  await vi.waitUntil(async () => (await total()) === drawn.length, PATIENCE)
})
afterAll(async () => {
  await poller.close()
  await dropTables(client, [tableName])
})

const query = fc.record(
  {
    scope: fc.subarray(CUSTOMERS, { minLength: 1 }),
    where: fc.record(
      { status: fc.subarray([...STATUSES], { minLength: 1 }), channel: fc.constantFrom('web', 'shop') },
      { requiredKeys: [], noNullPrototype: true },
    ),
    limit: fc.constantFrom(1, 3, 20, 100),
    order: fc.constantFrom<'newest' | 'oldest'>('newest', 'oldest'),
    to: fc.constant('2026-01-01T00:03:00.000Z'),
  },
  { requiredKeys: ['where', 'limit', 'order'], noNullPrototype: true },
)

test('orders of some customers, or of all, are one list, page by page and back', async () => {
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const expected = oracle.matching(asked).map(({ id }) => id)
      const seen: string[] = []
      let last: string | null = null
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await lapidary.orders.list({ ...asked, cursor })
        expect(page.plan.actual?.rounds).toBeLessThanOrEqual(3)
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.cursors.next
        last = page.cursors.previous
        if (asked.scope === undefined || asked.to !== undefined) continue
        const counted = await lapidary.orders.count({ scope: asked.scope, where: asked.where })
        expect([page.page.total, counted.total]).toEqual([expected.length, expected.length])
        expect(page.facets).toEqual(counted.facets)
      }
      expect(seen).toEqual(expected)
      if (last === null) return
      const lastPage = seen.length % asked.limit || asked.limit
      const before = await lapidary.orders.list({ ...asked, cursor: last })
      expect(before.items.map(({ id }) => id)).toEqual(expected.slice(-lastPage - asked.limit, -lastPage))
    }),
    { numRuns: 30, seed },
  )
})

test('orders of all customers are read from an index of all, with one list for each partition', async () => {
  const page = await lapidary.orders.list({ where: { status: 'CANCELLED' }, limit: 10 })
  expect(page.plan.text).toMatch(
    /^allByStatus\[~0\/CANCELLED, ~1\/CANCELLED, ~2\/CANCELLED\] MERGE BY position DESC LIMIT 10 --/,
  )
  expect(page.plan.actual).toMatchObject({ requests: 3, rounds: 1 })
  expect([page.page.total, page.facets]).toEqual([null, null])
  const sent = await lapidary.orders.list({ where: { status: 'SENT' }, limit: 10 })
  expect(sent.plan.text).toMatch(/^allSent\[~0, ~1\] MERGE/)
  const some = await lapidary.orders.list({ scope: ['c2', 'c1', 'c2'], limit: 10 })
  expect(some.plan.text).toMatch(/^byDate\[c1, c2\] MERGE/)
})

test('an order that changes hands is in the list of all under its new status', async () => {
  const [moved] = drawn as [Order]
  const changed = await lapidary.orders.patch(moved.id, { status: 'CANCELLED', customer: 'c9' })
  expect(changed).toEqual({ ...moved, status: 'CANCELLED', customer: 'c9' })
  oracle.put(changed)
  const { items } = await lapidary.orders.list({ where: { status: 'CANCELLED' }, limit: 100 })
  expect(items.map(({ id }) => id)).toEqual(oracle.matching({ where: { status: 'CANCELLED' } }).map(({ id }) => id))
  const { collections } = await lapidary.table.backfill({ dryRun: true })
  expect(collections.map(({ written, unfit }) => ({ written, unfit }))).toEqual([{ written: 0, unfit: {} }])
})

test('a cursor is of its scopes, in whatever order they are named', async () => {
  const { cursors } = await lapidary.orders.list({ scope: ['c1', 'c2'], limit: 2 })
  const cursor = cursors.next ?? expect.fail('no next page')
  const second = await lapidary.orders.list({ scope: ['c2', 'c1'], limit: 2, cursor })
  expect(second.items).toEqual(oracle.matching({ scope: ['c1', 'c2'] }).slice(2, 4))
  for (const scope of [undefined, 'c1', ['c1', 'c3']])
    await expect(lapidary.orders.list({ scope, cursor })).rejects.toMatchObject({ code: 'cursor_mismatch' })
})

test('what is not of all scopes says so', async () => {
  const refused = [
    // @ts-expect-error no page index is of all scopes
    () => lapidary.orders.page(2, {}),
    () => lapidary.orders.count({}),
  ]
  for (const each of refused) await expect(each()).rejects.toMatchObject({ code: 'unprocessable' })
  const wrong = [[], Array.from({ length: 33 }, (_, i) => `c${i}`), ['c1', '']]
  for (const scope of wrong)
    await expect(lapidary.orders.list({ scope })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('customer'),
    })
  expect(() => defineCollection({ ...orders, indexes: { everything: { across: 33 } } } as never)).toThrow(/33.*1 to 32/)
  expect(() => defineCollection({ ...orders, indexes: { hot: { shards: 1 } } } as never)).toThrow(/hot has 1.*2 to 32/)
  const both = { indexes: { hot: { across: 2, shards: 2 } } }
  expect(() => defineCollection({ ...orders, ...both } as never)).toThrow(
    /hot is across 2 partitions.*leave out shards/,
  )
})

test('each scope is priced by its own counts: nearly all of a page comes from the large one', async () => {
  const scope = ['large', 'small']
  const made = Array.from({ length: 62 }, (_, i) => {
    const customer = i % 30 === 7 ? 'small' : 'large'
    const placedAt = new Date(Date.UTC(2026, 1, 1, i)).toISOString()
    return { id: `x${i}`, customer, placedAt, status: 'OPEN', channel: 'web', note: 'n'.repeat(900) }
  })
  await importItems(lapidary.orders, made)
  await vi.waitUntil(async () => (await lapidary.orders.count({ scope })).total === made.length, PATIENCE)
  const { items, plan } = await lapidary.orders.list({ scope })
  expect(items.map(({ id }) => id)).toEqual(
    made
      .toReversed()
      .slice(0, 20)
      .map(({ id }) => id),
  )
  expect(plan.basis).toBe('statistics')
  // 21 of the large one's, of a little more than 1 KB, and some of the small one's: with equal parts it was 12 of each, and a second round.
  expect(plan.actual).toMatchObject({ rounds: 1, requests: 2 })
  expect(Math.abs(plan.estimated.rcu - (plan.actual?.rcu ?? 0))).toBeLessThan(0.6)
})

test('a layout that lists no scopes together says so', async () => {
  const { orders: duplicated } = createLapidary({
    ...{ client, tableName, collections: { orders }, cursorSecret: 'a secret of the tests' },
    layout: powerSet({ kept: 'stream' }),
  })
  await expect(duplicated.plan({})).rejects.toMatchObject({
    message: expect.stringContaining('the query asks for all'),
  })
})
