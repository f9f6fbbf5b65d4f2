import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  eachOf,
  LapidaryError,
  nativeKeys,
  oneOf,
  type Page,
  type QueryInput,
  segments,
  type WhereInput,
} from 'lapidary'
import { type CollectionCase, chosenSeed, createOracle, type Oracle, whereOf } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { facetsOf } from '../src/model/condition.ts'
import { parseQuery } from '../src/model/query.ts'
import { declaredEstimates } from '../src/planner/estimates.ts'
import { planQuery } from '../src/planner/plan-query.ts'
import { deleteIndex } from './backfill/create-indexes.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

type Order = {
  readonly id: string
  readonly shop: string
  readonly at: string
  readonly status: 'OPEN' | 'PAID' | 'SENT' | 'GONE'
  readonly channel: 'web' | 'app' | 'desk'
  readonly country: string
  readonly price: number
  readonly express?: boolean | null
  readonly tags?: readonly string[]
}

const facets = {
  status: anyOf(['OPEN', 'PAID', 'SENT', 'GONE'], { frequencies: { OPEN: 0.1, PAID: 0.1, SENT: 0.1, GONE: 0.7 } }),
  channel: oneOf(['web', 'app', 'desk']),
  country: oneOf(),
  price: anyOf('number', { counted: false }),
  express: anyOf('boolean', { optional: true }),
  tags: eachOf(),
} as const

const orders = defineCollection({
  ...{ name: 'ORDER', schema: schemaOf<Order>(), id: 'id', order: 'at', scope: { name: 'SHOP', attribute: 'shop' } },
  facets,
  indexes: {
    all: {},
    byStatus: { partition: ['status'] },
    byChannel: { partition: ['channel'] },
    byCountryAndChannel: { partition: ['country', 'channel'] },
    byTag: { partition: ['tags'] },
  },
})

const COUNTRIES = ['AT', 'CH', 'DE', 'DEN', 'é😀', '\uFFFD\u{10FFFF}']
const PRICES = [-5, 0, 0.1, 9, 10, 20, 80]
const TAGS = ['a', 'b', 'c']
/** What the filters of the property tests are drawn from. */
const asked = {
  facets: {
    status: { kind: 'anyOf', closed: true, values: ['OPEN', 'PAID', 'SENT', 'GONE'], frequencies: undefined },
    channel: { kind: 'oneOf', closed: true, values: ['web', 'app', 'desk'], frequencies: undefined },
    country: { kind: 'oneOf', closed: false, values: COUNTRIES, frequencies: undefined },
    price: { kind: 'anyOf', closed: false, values: PRICES, frequencies: undefined },
    express: { kind: 'anyOf', closed: true, values: [true, false, null], frequencies: undefined },
    tags: { kind: 'eachOf', closed: false, values: [...TAGS, null], frequencies: undefined },
  },
} satisfies Pick<CollectionCase, 'facets'>

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const ITEMS = 120
const scope = 's'

function order(i: number): Order {
  const at = new Date(Date.UTC(2026, 0, 1 + (i % 50))).toISOString()
  const status = (['GONE', 'GONE', 'OPEN', 'GONE', 'PAID', 'GONE', 'SENT'] as const)[i % 7] ?? 'GONE'
  const channel = (['web', 'app', 'desk'] as const)[i % 3] ?? 'web'
  const country = COUNTRIES[(i * 5) % 6] ?? ''
  const express = i % 4 === 0 ? {} : i % 4 === 1 ? { express: null } : { express: i % 8 > 3 }
  const tags = i % 5 === 0 ? {} : { tags: TAGS.filter((_, j) => (i >> j) % 2 === 1) }
  return { id: `o${i}`, shop: scope, at, status, channel, country, price: PRICES[i % 7] ?? 0, ...express, ...tags }
}

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')

describe.each(testEngines())('conditions on $name', (engine) => {
  let table: TestTable<{ orders: typeof orders }>
  let oracle: Oracle<Order>
  const list = (query: object): Promise<Page<Order>> => table.lapidary.orders.list(query as never)
  beforeAll(async () => {
    table = await openTestTable(engine, { orders }, { derived: { counts: true, pages: segments() } })
    oracle = createOracle(orders)
    for (let i = 0; i < ITEMS; i++) oracle.put(await table.lapidary.orders.create(order(i)))
    await using poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
    expect(poller).toBeDefined()
    await vi.waitUntil(async () => (await list({ scope, limit: 1 })).page.total === ITEMS, PATIENCE)
  })
  afterAll(() => table[Symbol.asyncDispose]())

  test('are answered as filter, sort and slice do: by cursor, by number, in totals and in counts', async () => {
    const { orders: client } = table.lapidary
    const made = fc.record({
      where: whereOf(asked, 3),
      order: fc.constantFrom('newest', 'oldest'),
      limit: fc.constantFrom(1, 4, 30),
      number: fc.integer({ min: 1, max: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(made, async ({ number, ...drawn }) => {
        const query = { ...drawn, scope } as QueryInput & { readonly limit: number; readonly where: WhereInput }
        const expected = oracle.matching(query)
        expect(await collect(client.iterate(query as never))).toEqual(expected)
        const first = await list(query)
        if (first.page.total !== null) expect(first.page.total).toBe(expected.length)
        const { where, also } = parseQuery(orders, query)
        const narrowed = [...Object.keys(where), ...(also === undefined ? [] : facetsOf(also))]
        if (!narrowed.includes('tags')) {
          const page = await client.page(number, query as never)
          expect(page.items).toEqual(expected.slice((number - 1) * query.limit, number * query.limit))
          expect(page.page.total).toBe(expected.length)
        }
        if (narrowed.includes('price') || narrowed.includes('tags')) return
        expect(first.page.total).toBe(expected.length)
        expect((await client.count({ scope, where: query.where as never })).total).toBe(expected.length)
      }),
      { seed, numRuns: engine.name === 'embedded' ? 150 : 40 },
    )
  })

  test('as large as they may be are answered, by DynamoDB or here', async () => {
    const named = (count: number) => Array.from({ length: count }, (_, i) => ({ country: `X${i}` }))
    const ranges = Array.from({ length: 49 }, (_, i) => ({ price: { from: i * 3, to: i * 3 + 1 }, channel: 'web' }))
    const deep = (levels: number): WhereInput =>
      levels === 0
        ? { status: 'OPEN' }
        : levels % 2 === 0
          ? { OR: [{ country: 'DE', price: 0 }, deep(levels - 1)] }
          : { AND: [{ NOT: { tags: { has: ['a'], hasEvery: ['b', null] } } }, deep(levels - 1)] }
    const many = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`)
    const wheres: readonly WhereInput[] = [
      { NOT: [{ country: 'DE' }, ...named(99)] },
      { OR: ranges, country: 'AT' },
      deep(9),
      // More operators than DynamoDB takes, or a larger expression.
      { OR: Array.from({ length: 95 }, (_, i) => ({ price: { from: i * 3, to: i * 3 + 1 } })) },
      {
        OR: [{ tags: ['a', ...many(99)] }, { price: [10, ...PRICES] }],
        NOT: { tags: { has: many(100).map((v) => `${v}x`) } },
      },
      { NOT: [{ tags: { has: many(100) } }, { price: many(100).map((_, i) => 1000 + i) }, { OR: named(98) }] },
    ]
    for (const where of wheres) {
      const expected = oracle.matching({ scope, where })
      expect(expected.length).toBeGreaterThan(0)
      const page = await list({ scope, where, limit: 100, attributes: ['id'] })
      expect(page.items).toEqual(expected.slice(0, 100).map(({ id }) => ({ id })))
    }
  })
})

describe('a plan with a condition', () => {
  const { orders: reader } = createLapidary({
    client: { send: () => Promise.reject(new Error('nothing is read')) } as never,
    ...{ tableName: 'none', collections: { orders }, cursorSecret: 'a secret of the tests' },
  })
  const planned = (where: WhereInput) =>
    planQuery(reader.context.layout, parseQuery(orders, { scope: '1', where }), declaredEstimates(orders as never))

  test.each<readonly [string, WhereInput, string]>([
    [
      'filters by it, in words',
      { price: { from: 10, to: 20 }, OR: [{ channel: 'web' }, { express: true }], NOT: { country: 'DE' } },
      'all[1] FILTER price FROM 10 TO 20 AND (channel IN (web) OR express IN (true)) AND NOT country IN (DE) BY position DESC LIMIT 20 -- 11 RCU, 2 rounds',
    ],
    [
      'reads the lists of the other values where one is excluded',
      { NOT: { status: 'GONE' } },
      'byStatus[1/OPEN, 1/PAID, 1/SENT] MERGE BY position DESC LIMIT 20 -- 3 RCU, 1 round',
    ],
    [
      'reads the lists of several values of a facet of one',
      { OR: [{ channel: 'web' }, { channel: 'app' }] },
      'byChannel[1/app, 1/web] MERGE BY position DESC LIMIT 20 -- 2 RCU, 1 round',
    ],
    [
      'reads the lists of values that are not declared',
      { OR: [{ country: 'DE' }, { country: 'AT' }], channel: 'web' },
      'byCountryAndChannel[1/AT/web, 1/DE/web] MERGE BY position DESC LIMIT 20 -- 2 RCU, 1 round',
    ],
    [
      'leaves out the lists of which no item can meet it, and the filter where each does',
      {
        OR: [
          { country: 'DE', channel: 'web' },
          { country: 'AT', channel: ['app'] },
        ],
      },
      'byCountryAndChannel[1/AT/app, 1/DE/web] MERGE BY position DESC LIMIT 20 -- 2 RCU, 1 round',
    ],
    [
      'reads the lists of several indexes together, an item once',
      {
        OR: [
          { country: 'DE', channel: 'web' },
          { status: 'PAID', price: { to: 9 } },
        ],
      },
      'byCountryAndChannel[1/DE/web] UNION byStatus[1/PAID] FILTER price TO 9 MERGE BY position DESC LIMIT 20 -- 3.5 RCU, 1 round',
    ],
    [
      'reads each of them for what is asked beside',
      { price: { from: 10 }, OR: [{ country: 'DE', channel: 'web' }, { status: 'PAID' }, { tags: 'a' }] },
      'byCountryAndChannel[1/DE/web] FILTER price FROM 10 UNION byStatus[1/PAID] FILTER price FROM 10 UNION byTag[1/a] FILTER price FROM 10 MERGE BY position DESC LIMIT 20 -- 6.5 RCU, 2 rounds',
    ],
  ])('%s', (_, where, expected) => {
    expect(planned(where).text).toBe(expected)
  })

  test('filters each list by what is left to ask of it', () => {
    const { root } = planned({ OR: [{ country: 'DE', express: true }, { country: 'AT' }], channel: 'web' })
    expect(root).toMatchObject({
      input: {
        inputs: [
          { kind: 'source', list: { label: '1/AT/web' } },
          { kind: 'filter', also: { facet: 'express', wanted: [true] }, input: { list: { label: '1/DE/web' } } },
        ],
      },
    })
  })
})

test.each(['byCountryAndChannel', 'byStatus'])(
  'a union is planned without an index that was deleted, %s',
  async (name) => {
    await using table = await openTestTable(engine, { orders })
    const { orders: client } = table.lapidary
    const oracle = createOracle(orders)
    for (let i = 0; i < 60; i++) oracle.put(await client.create(order(i)))
    const where = { OR: [{ country: 'DE', channel: 'desk' }, { status: 'PAID' }, { status: 'SENT' }] } as const
    const expected = oracle.matching({ scope, where })
    expect((await client.list({ scope, where, limit: 5 })).plan.text).toMatch(
      /^byCountryAndChannel\[.* UNION byStatus\[/,
    )
    await deleteIndex(table.client, table.tableName, name)
    const { items, plan } = await client.list({ scope, where, limit: 100 })
    expect(items).toEqual(expected)
    expect(plan.limits).toContainEqual(expect.stringContaining(`${name} is absent`))
  },
)

test('all items that meet a condition are deleted, and no other', async () => {
  await using table = await openTestTable(engine, { orders })
  const { orders: client } = table.lapidary
  const oracle = createOracle(orders)
  for (let i = 0; i < 40; i++) oracle.put(await client.create(order(i)))
  const where = { OR: [{ channel: 'web' }, { tags: { hasEvery: ['a', 'b'] } }], NOT: { express: true } } as const
  expect((await client.deleteAll({ scope, where })).deleted).toBe(oracle.matching({ scope, where }).length)
  expect(await collect(client.iterate({ scope }))).toEqual(oracle.matching({ scope, where: { NOT: where } as never }))
})

test('a filter asks of the attribute by which a native index is sorted, which no filter expression may name', async () => {
  const local = testEngines().find(({ name }) => name === 'dynamodb-local')
  if (local === undefined) throw new Error('DynamoDB Local is not there')
  const offers = defineCollection({
    ...{ name: 'OFFER', schema: schemaOf<Order>(), id: 'id', scope: { name: 'SHOP', attribute: 'shop' } },
    orders: { newest: 'at', price: { attribute: 'price', type: 'number' } },
    facets: { channel: facets.channel, price: anyOf('number'), country: facets.country },
    indexes: { all: {}, byCountry: { partition: ['country'] }, byPrice: { order: 'price' } },
  })
  await using table = await openTestTable(local, { offers }, { layout: nativeKeys() })
  const oracle = createOracle(offers)
  for (let i = 0; i < 20; i++) oracle.put(await table.lapidary.offers.create(order(i)))
  for (const where of [
    { price: [0, 9] },
    { OR: [{ price: 9 }, { channel: 'web', price: { from: 10 } }] },
    { NOT: { price: [0, 9] } },
  ] as const) {
    const query = { scope, by: 'price', where, limit: 4 } as const
    expect(await collect(table.lapidary.offers.iterate(query))).toEqual(oracle.matching(query as never))
  }
  // No native key holds the empty text.
  for (const country of ['', 'DE']) {
    const query = { scope, where: { OR: [{ country }, { country: 'AT' }] } }
    const { items, plan } = await table.lapidary.offers.list(query)
    expect(items).toEqual(oracle.matching(query))
    expect(plan.text).toMatch(country === '' ? /^all\[/ : /^byCountry\[s\/AT, s\/DE\]/)
  }
})

test('counts of facets are not narrowed by what is asked of them alone', async () => {
  await using table = await openTestTable(engine, { orders }, { derived: { counts: true, pages: segments() } })
  const oracle = createOracle(orders)
  for (let i = 0; i < 40; i++) oracle.put(await table.lapidary.orders.create(order(i)))
  await using _poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
  const { orders: client } = table.lapidary
  await vi.waitUntil(async () => (await client.list({ scope, limit: 1 })).page.total === 40, PATIENCE)
  const either = { OR: [{ express: true }, { status: 'OPEN' }] } as const
  const { total, facets: counts } = await client.count({ scope, where: { ...either, NOT: { channel: 'web' } } })
  const of = (where: WhereInput): number => oracle.matching({ scope, where }).length
  expect(total).toBe(of({ ...either, NOT: { channel: 'web' } }))
  for (const channel of ['web', 'app', 'desk']) expect(counts?.channel?.[channel]).toBe(of({ ...either, channel }))
  for (const status of ['OPEN', 'PAID', 'SENT', 'GONE'])
    expect(counts?.status?.[status]).toBe(of({ ...either, NOT: { channel: 'web' }, status }))

  const excluded = client.count({ scope, where: { NOT: { tags: 'a' } } })
  await expect(excluded).rejects.toThrow(
    'an item may have several values of tags, and counts know the items of one value, not of several together, nor of those without one; ask for one',
  )
  await expect(client.count({ scope, where: { NOT: { price: { from: 1 } } } })).rejects.toThrow(
    'price is declared with counted: false',
  )
  expect((await client.list({ scope, where: { NOT: { tags: 'a' } }, limit: 1 })).page.total).toBeNull()
  await expect(client.page(2, { scope, where: { NOT: { tags: 'a' } } } as never)).rejects.toBeInstanceOf(LapidaryError)
})
