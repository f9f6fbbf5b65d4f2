import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  anyOf,
  createLapidary,
  defineCollection,
  eachOf,
  hierarchy,
  type Layout,
  nativeKeys,
  oneOf,
  powerSet,
  type QueryInput,
  segments,
} from 'lapidary'
import { attach } from 'lapidary/attach'
import { chosenSeed, createOracle, whereOf } from 'lapidary-testing'
import { describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable } from './test-table.ts'

type Order = {
  readonly id: string
  readonly customer: string
  readonly placedAt: string
  readonly address?: {
    readonly city?: string | null
    readonly zone?: 'in' | 'out'
    readonly tags?: readonly string[]
  } | null
  readonly lines: readonly { readonly sku: string }[]
}

const base = {
  name: 'ORDER',
  schema: schemaOf<Order>(),
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
} as const

const city = anyOf({ path: 'address.city', optional: true })
const month = anyOf({ of: (order: Order) => order.placedAt.slice(0, 7) })
const size = anyOf(['large', 'small'], { of: (order: Order) => (order.lines.length > 1 ? 'large' : 'small') })
const orders = defineCollection({
  ...base,
  facets: {
    ...{ city, month, size },
    tags: eachOf({ path: 'address.tags' }),
    skus: eachOf({ of: (order: Order) => order.lines.map(({ sku }) => sku) }),
  },
  indexes: {
    all: {},
    byCity: { partition: ['city'] },
    byMonth: { partition: ['month'], sort: ['size'] },
    byTags: { partition: ['tags'] },
    bySkus: { sort: ['skus'] },
    inBerlin: { partition: ['size'], only: { city: ['Berlin', 'a.b'] } },
  },
})

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)
const CITIES = ['Berlin', 'a.b', '%~', '', 'é/#😀', 'constructor', null, undefined]
const SKUS = ['x', 'y.z', '~', 'a/b']
const made: readonly Order[] = fc
  .sample(
    fc.record({
      city: fc.constantFrom(...CITIES),
      lines: fc.array(fc.record({ sku: fc.constantFrom(...SKUS) }), { maxLength: 3 }),
      tags: fc.array(fc.constantFrom(...SKUS), { maxLength: 3 }),
      at: fc.constantFrom('2026-01', '2026-02', '2025-12'),
      parent: fc.constantFrom('full', 'full', 'full', 'empty', 'null', 'absent'),
    }),
    { numRuns: 60, seed },
  )
  .map(({ city: name, tags, at, parent, ...rest }, i) => ({
    ...rest,
    id: String(i),
    customer: 'c1',
    placedAt: `${at}-01T00:00:0${i % 5}.000Z`,
    ...(parent === 'full' ? { address: name === undefined ? { tags } : { city: name, tags } } : {}),
    ...(parent === 'empty' ? { address: {} } : parent === 'null' ? { address: null } : {}),
  }))

const values = {
  city: { kind: 'anyOf', closed: false, values: [...CITIES.filter((each) => each !== undefined), 'Rome'] },
  month: { kind: 'anyOf', closed: false, values: ['2026-01', '2026-02', '2025-12', '2024-01'] },
  size: { kind: 'anyOf', closed: true, values: ['large', 'small'] },
  tags: { kind: 'eachOf', closed: false, values: [...SKUS, null] },
  skus: { kind: 'eachOf', closed: false, values: [...SKUS, null] },
} as const
const facetCases = Object.fromEntries(
  Object.entries(values).map(([name, each]) => [name, { ...each, frequencies: undefined }]),
)
const queries: readonly QueryInput[] = fc
  .sample(whereOf({ facets: facetCases }, 2), { numRuns: 60, seed })
  .map((where) => ({ scope: 'c1', where, limit: 100 }))

const ids = (items: readonly { readonly id: string }[]): readonly string[] => items.map(({ id }) => id)

const [engine, local] = testEngines()
if (engine === undefined || local === undefined) throw new Error('there are no engines')

test('pages, numbers, counts and columns are those of the items in memory, also after changes of nested attributes', async () => {
  const derived = { counts: true, pages: segments(), columns: true } as const
  await using table = await openTestTable(engine, { orders }, { derived })
  const { lapidary, tableName, client } = table
  const oracle = createOracle(orders)
  for (const item of made) {
    await lapidary.orders.create(item)
    oracle.put(item)
  }
  for (const { id } of made.slice(0, 20)) {
    const address = id.endsWith('1') ? null : { city: `moved ${Number(id) % 3}`, tags: ['x', 'new'] }
    oracle.put(await lapidary.orders.patch(id, { address }))
  }
  for (const { id } of made.slice(15, 25)) {
    oracle.put(await lapidary.orders.patch(id, { lines: [{ sku: 'y.z' }, { sku: 'x' }] }))
  }
  await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
  // A process that starts now knows that all is counted.
  const reading = createLapidary({
    ...{ client, tableName, collections: { orders }, cursorSecret: 'a secret of the tests', derived },
  })
  await vi.waitFor(async () => {
    expect((await reading.orders.count({ scope: 'c1' })).total).toBe(made.length)
    const where = { OR: [{ month: '2026-01' }, { size: 'large' }] } as const
    const { total } = await reading.orders.count({ scope: 'c1', where })
    expect(total).toBe(oracle.matching({ scope: 'c1', where }).length)
  }, PATIENCE)
  for (const query of queries) {
    const expected = ids(oracle.matching(query))
    const page = await reading.orders.list(query as never)
    expect(ids(page.items), JSON.stringify(query)).toEqual(expected)
    const counted = await reading.orders.count({ ...query, limit: undefined } as never)
    expect(counted.total, JSON.stringify(query)).toBe(expected.length)
  }
  for (const where of [{}, { city: ['Berlin'] }, { month: '2026-02', size: 'large' }] as const) {
    const expected = ids(oracle.matching({ scope: 'c1', where: where as never }))
    const second = await reading.orders.page(2, { scope: 'c1', where, limit: 3 } as never)
    expect(ids(second.items)).toEqual(expected.slice(3, 6))
    expect(second.page.total).toBe(expected.length)
  }
  const { facets } = await reading.orders.count({ scope: 'c1', by: ['month', 'size', 'city'] })
  for (const value of ['2026-01', '2026-02', '2025-12']) {
    expect(facets?.month?.[value] ?? 0).toBe(oracle.matching({ scope: 'c1', where: { month: value } }).length)
  }
  expect(await reading.derived.verify({ idleMs: 20 })).toMatchObject({ differenceCount: 0 })
})

const LAYOUTS: readonly (readonly [string, Layout, typeof engine])[] = [
  ['a power set', powerSet(), engine],
  ['a power set that the stream keeps', powerSet({ kept: 'stream' }), engine],
  ['native keys, which filter', nativeKeys(), local],
]
describe.each(LAYOUTS)('%s', (_, layout, on) => {
  test('answers filters by paths and functions', async () => {
    const narrow = defineCollection({
      ...base,
      idOrder: 'raw',
      facets: {
        city: oneOf({ path: 'address.city', optional: true }),
        month: oneOf({ of: (order: Order) => order.placedAt.slice(0, 7) }),
        size,
      },
    })
    await using table = await openTestTable(on, { narrow }, { layout, derived: { counts: true } })
    const { lapidary, client, tableName } = table
    const oracle = createOracle(narrow)
    await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
    for (const item of made) oracle.put(await lapidary.narrow.create(item))
    for (const { id } of made.slice(0, 9)) oracle.put(await lapidary.narrow.patch(id, { address: { city: 'Rome' } }))
    for (const where of [
      {},
      { city: 'Rome' },
      { city: 'é/#😀' },
      { month: '2026-02' },
      { city: null, size: ['large'] },
      { city: 'Berlin', month: '2026-01', size: ['large', 'small'] },
      { NOT: { month: '2026-01' }, OR: [{ city: 'Rome' }, { size: 'small' }] },
    ] as const) {
      const query = { scope: 'c1', where, limit: 100 } as never
      await vi.waitFor(async () => {
        expect(ids((await lapidary.narrow.list(query)).items), JSON.stringify(where)).toEqual(
          ids(oracle.matching(query)),
        )
      }, PATIENCE)
      if (on !== local) continue
      // The same table, as another program's.
      const collections = { narrow: { collection: narrow, kind: { 'k.~': 'ORDER' }, projection: 'shown' } } as const
      const attached = attach({ client, tableName, collections, cursorSecret: 'a secret of the tests' })
      expect(ids((await attached.narrow.list(query)).items)).toEqual(ids(oracle.matching(query)))
    }
  })
})

test('short names, attributes that only a look-up shows and packed ones change no answer', async () => {
  const seen: unknown[] = []
  const hidden = defineCollection({
    ...base,
    facets: {
      city,
      first: oneOf({
        of: (order: Order) => {
          seen.push(...Object.keys(order))
          return order.lines[0]?.sku ?? 'none'
        },
      }),
    },
    attributes: {
      ...{ id: 'i', customer: 'c', placedAt: 'p', address: 'a', lines: 'l' },
      note: { name: 'n', shownIn: 'lookup' },
    } as never,
  })
  await using table = await openTestTable(engine, { hidden })
  const { lapidary, client, tableName } = table
  for (const item of made.slice(0, 20)) await lapidary.hidden.create({ ...item, note: 'long' } as Order)
  expect(seen).not.toContain('note')
  const oracle = createOracle(hidden)
  for (const item of made.slice(0, 20)) oracle.put(item)
  for (const where of [{ first: 'x' }, { city: 'Berlin' }, { first: 'none', city: null }]) {
    const query = { scope: 'c1', where, limit: 100 }
    expect(ids((await lapidary.hidden.list(query as never)).items)).toEqual(ids(oracle.matching(query)))
    const chosen = await lapidary.hidden.list({ ...query, attributes: ['id'] } as never)
    expect(ids(chosen.items as never)).toEqual(ids(oracle.matching(query)))
  }
  const { Item = {} } = await client.send(
    new GetItemCommand({ TableName: tableName, Key: { PK: { S: 'ORDER#0' }, SK: { S: '~' } } }),
  )
  expect(
    Object.keys(Item)
      .filter((name) => name.startsWith('k'))
      .sort(),
  ).toEqual([...['k', 'k.a>city', 'k.a>city.first:1', 'k.first:1']])
})

test('a process that lacks the function of an index writes nothing', async () => {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const options = { client, tableName, cursorSecret: 'a secret of the tests' }
  const declared = (facets: object, indexes: object) =>
    createLapidary({ ...options, collections: { orders: defineCollection({ ...base, facets, indexes } as never) } })
  const newer = defineCollection({
    ...base,
    facets: { month },
    indexes: { all: {}, byMonth: { partition: ['month'] } },
  })
  const writing = createLapidary({ ...options, collections: { orders: newer } })
  try {
    await writing.table.create()
    await writing.orders.create(made[0] as Order)
    const without = declared({}, { all: {} })
    const refused = {
      code: 'table_mismatch',
      message: expect.stringContaining('byMonth is on the facet month of ORDER'),
    }
    await expect(without.orders.create(made[1] as never)).rejects.toMatchObject(refused)
    await expect(without.orders.patch('0', { lines: [] } as never)).rejects.toMatchObject(refused)
    expect((await without.orders.list({ scope: 'c1' })).items).toHaveLength(1)
    // The same function keeps the index, although this process declares no such index.
    const other = declared({ month }, { all: {} })
    await other.orders.create(made[1] as never)
    const another = declared({ month: anyOf({ of: () => '2020-01', version: 2 }) }, { all: {} })
    await expect(another.orders.create(made[2] as never)).rejects.toMatchObject(refused)
    const oracle = createOracle(newer)
    for (const item of made.slice(0, 2)) oracle.put(item)
    for (const value of ['2026-01', '2026-02', '2025-12']) {
      const query = { scope: 'c1', where: { month: value } } as const
      expect(ids((await writing.orders.list(query)).items)).toEqual(ids(oracle.matching(query)))
    }
  } finally {
    await dropTables(client, [tableName])
  }
})

test('counts and columns by a function are left behind by a process that lacks it, and those by a path are kept', async () => {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const options = { client, tableName, cursorSecret: 'a secret of the tests', derived: { counts: true, columns: true } }
  const one = (facets: object) => defineCollection({ ...base, facets, indexes: { all: {} } } as never)
  const byPath = createLapidary({ ...options, collections: { orders: one({ city }) } })
  const byFunction = createLapidary({ ...options, collections: { orders: one({ month }) } })
  const neither = createLapidary({ ...options, derived: { counts: true }, collections: { orders: one({}) } })
  try {
    await byPath.table.create()
    for (const declaring of [byPath, byFunction]) {
      const poller = await declaring.stream.start({ idleMs: 20, gatherMs: 20 })
      await poller.close()
    }
    await using _poller = await neither.stream.start({ idleMs: 20, gatherMs: 20 })
    for (const item of made.slice(0, 30)) await neither.orders.create(item as never)
    const own = made.slice(0, 30).filter(({ customer }) => customer === 'c1')
    const expected = own.filter(({ address }) => address?.city === 'Berlin').length
    await vi.waitFor(async () => {
      const { facets, total } = await byPath.orders.count({ scope: 'c1', by: ['city'] } as never)
      expect(total).toBe(own.length)
      // Of an open facet, what no item has is not told.
      expect((facets as unknown as Record<string, Record<string, number>>).city?.Berlin ?? 0).toBe(expected)
    }, PATIENCE)
    expect((await byFunction.orders.count({ scope: 'c1' })).total).toBeNull()
  } finally {
    await dropTables(client, [tableName])
  }
})

test('items of which a function can make no value are refused, and those of another program are listed without one', async () => {
  const picky = defineCollection({
    ...base,
    facets: {
      zone: oneOf(['in', 'out'], { path: 'address.zone' }),
      sku: oneOf({ of: (order: Order) => order.lines.map(({ sku }) => sku).join('+') }),
      tree: hierarchy({ of: (order: Order) => order.lines[0]?.sku ?? null }),
    },
    indexes: { all: {}, bySku: { partition: ['sku'] } },
  })
  await using table = await openTestTable(engine, { picky })
  const { lapidary, client, tableName } = table
  const item = { id: '1', customer: 'c1', placedAt: '2026-01-01T00:00:00.000Z' }
  const create = (given: object): Promise<unknown> => lapidary.picky.create({ ...item, ...given } as Order)
  await expect(create({ address: null, lines: [] })).rejects.toMatchObject({
    code: 'unprocessable',
    details: { errors: [{ path: 'address.zone', message: expect.stringContaining('must be one of') }] },
  })
  await expect(create({ address: { zone: 'in' } })).rejects.toMatchObject({
    code: 'unprocessable',
    details: {
      errors: [
        { path: 'sku', message: expect.stringContaining("can't be made of the item, its function throws") },
        { path: 'tree', message: expect.stringContaining('function throws') },
      ],
    },
  })
  await expect(create({ address: { zone: 'in' }, lines: [{ sku: 'a//b' }] })).rejects.toMatchObject({
    details: { errors: [{ path: 'tree', message: expect.stringContaining('path without empty parts') }] },
  })
  await expect(create({ address: { zone: 'in' }, lines: [], zone: 'in' })).rejects.toMatchObject({
    details: { errors: [{ path: 'zone', message: expect.stringContaining('also the name of a facet') }] },
  })
  await create({ address: { zone: 'in' }, lines: [{ sku: 'a/b' }] })
  // Another program stores an item without lines.
  await client.send(
    new PutItemCommand({
      TableName: tableName,
      Item: {
        ...{ PK: { S: 'ORDER#2' }, SK: { S: '~' }, id: { S: '2' }, customer: { S: 'c1' } },
        ...{ placedAt: { S: '2026-02-01T00:00:00.000Z' }, address: { M: { zone: { S: 'out' } } } },
        ...{ k: { S: 'ORDER/c1' }, s: { S: '2026-02-01T00:00:00.000Z#2' } },
      },
    }),
  )
  const list = async (where: object): Promise<readonly string[]> =>
    ids((await lapidary.picky.list({ scope: 'c1', where } as never)).items)
  expect(await list({})).toEqual(['2', '1'])
  expect(await list({ zone: 'out' })).toEqual(['2'])
  expect(await list({ sku: 'a/b', zone: 'in' })).toEqual(['1'])
  expect(await list({ tree: 'a' })).toEqual(['1'])
  expect(await list({ tree: null })).toEqual(['2'])
})

test('a backfill gives an index on a path and a function its keys', async () => {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const facets = { city, month, tags: eachOf({ path: 'address.tags' }) }
  const indexes = { all: {}, byMonth: { partition: ['month', 'city'] }, byTags: { partition: ['tags'] } } as const
  const wide = defineCollection({ ...base, facets, indexes })
  const lapidary = createLapidary({ client, tableName, collections: { wide }, cursorSecret: 'a secret of the tests' })
  try {
    await lapidary.table.create()
    for (const item of made.slice(0, 25)) {
      const Item = { ...lapidary.wide.context.codec.toEntry(item), PK: { S: `ORDER#${item.id}` }, SK: { S: '~' } }
      await client.send(new PutItemCommand({ TableName: tableName, Item }))
    }
    await lapidary.table.backfill()
    const oracle = createOracle(wide)
    for (const item of made.slice(0, 25)) oracle.put(item)
    for (const where of [{}, { month: '2026-01', city: 'Berlin' }, { month: '2026-02', city: null }, { tags: 'x' }]) {
      const query = { scope: 'c1', where, limit: 100 }
      expect(ids((await lapidary.wide.list(query as never)).items)).toEqual(ids(oracle.matching(query)))
    }
    await expect(lapidary.table.backfill({ fill: { city: 'Rome' } })).rejects.toMatchObject({
      details: { errors: [{ path: 'city', message: expect.stringContaining('no attribute to fill') }] },
    })
  } finally {
    await dropTables(client, [tableName])
  }
})
