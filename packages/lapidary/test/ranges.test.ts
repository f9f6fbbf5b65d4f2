import fc from 'fast-check'
import { anyOf, defineCollection, oneOf, segments } from 'lapidary'
import { chosenSeed, createOracle, type Oracle } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { parseQuery } from '../src/model/query.ts'
import { collect } from './collect.ts'
import { schemaOf } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

type Offer = {
  readonly id: string
  readonly shop: string
  readonly addedAt: string
  readonly price?: number | null
  readonly weight: number
  readonly stars: 1 | 2 | 3 | 4 | 5
  readonly note: string
}

const offers = defineCollection({
  name: 'OFFER',
  schema: schemaOf<Offer>(),
  id: 'id',
  scope: { name: 'SHOP', attribute: 'shop' },
  orders: { newest: 'addedAt', price: { attribute: 'price', type: 'number', optional: true } },
  facets: {
    price: oneOf('number', { optional: true }),
    weight: oneOf('number', { counted: false }),
    stars: anyOf([1, 2, 3, 4, 5]),
  },
  indexes: { all: {}, byStars: { partition: ['stars'] }, byPrice: { order: 'price' } },
})

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const PRICES = [-5, 0, 0.1, 0.25, 9, 10, 20, 80, 1e15]
const ITEMS = 90
const scope = 's'

let table: TestTable<{ offers: typeof offers }>
let oracle: Oracle<Offer>
beforeAll(async () => {
  table = await openTestTable(engine, { offers }, { derived: { counts: true, pages: segments() } })
  oracle = createOracle(offers)
  for (let i = 0; i < ITEMS; i++) {
    const price = i % 10 === 9 ? (i % 20 === 9 ? {} : { price: null }) : { price: PRICES[i % 10] ?? 0 }
    const addedAt = new Date(Date.UTC(2026, 0, 1 + (i % 7))).toISOString()
    const stars = ((i % 5) + 1) as Offer['stars']
    oracle.put(
      await table.lapidary.offers.create({
        ...{ id: `o${i}`, shop: scope, addedAt, weight: i % 30, stars, note: 'x'.repeat(400), ...price },
      }),
    )
  }
  await using poller = await table.lapidary.stream.start({ idleMs: 20, gatherMs: 20, discoverMs: 200 })
  expect(poller).toBeDefined()
  await vi.waitUntil(async () => (await table.lapidary.offers.list({ scope, limit: 1 })).page.total === ITEMS, PATIENCE)
})
afterAll(() => table[Symbol.asyncDispose]())

test('a range is that of filter, sort and slice: by cursor, by number, in its order and in another, counted', async () => {
  const { offers: client } = table.lapidary
  const end = (values: readonly number[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 })
  const range = (values: readonly number[]) =>
    fc.record({ from: end(values), to: end(values) }, { noNullPrototype: true })
  const where = fc.record(
    { price: range(PRICES), weight: range([0, 7, 29]), stars: fc.oneof(range([1, 2, 5]), fc.constant([2, 3])) },
    { requiredKeys: [], noNullPrototype: true },
  )
  const by = fc.constantFrom(undefined, 'price')
  const order = fc.constantFrom('newest', 'oldest')
  await fc.assert(
    fc.asyncProperty(fc.record({ where, by, order, limit: fc.constantFrom(1, 4, 30) }), async (asked) => {
      const query = { ...asked, scope } as { readonly scope: string; readonly by: 'price' }
      const expected = oracle.matching(query as never)
      expect(await collect(client.iterate(query))).toEqual(expected)
      const { page, plan } = await client.list(query)
      if (asked.by === undefined && asked.where.weight === undefined)
        expect(page.total, plan.text).toBe(expected.length)
      else expect([null, expected.length], plan.text).toContain(page.total)
      if (asked.by !== undefined) return
      const second = await client.page(2, query)
      expect(second.items).toEqual(expected.slice(asked.limit, 2 * asked.limit))
      expect(second.page.total).toBe(expected.length)
    }),
    { numRuns: 25, seed },
  )
})

test('counts price a range, and a plan says so where most of what it reads is thrown away', async () => {
  const { offers: client } = table.lapidary
  const cheap = await client.explain({ scope, where: { price: { from: 20 } }, limit: 10 })
  // Three of ten prices.
  expect(cheap.text).toMatch(/^all\[s\] FILTER price FROM 20 BY position DESC LIMIT 10 -- /)
  expect(cheap.tree.inputs[0]?.text).toBe('FILTER price FROM 20 (lets through 30 %)')
  expect(cheap.actual?.rcu).toBeGreaterThanOrEqual(2)
  expect(Math.abs((cheap.actual?.rcu ?? 0) - cheap.estimated.rcu)).toBeLessThanOrEqual(1)
  expect(cheap.limits).toEqual([])
  const rare = await client.explain({ scope, where: { price: { from: 0, to: 0.2 } }, limit: 5 })
  expect(rare.limits).toEqual([expect.stringMatching(/^the filter lets through 20 % of what it reads/)])
  expect(Math.abs((rare.actual?.rcu ?? 0) - rare.estimated.rcu)).toBeLessThanOrEqual(1)
  // A range that is not counted is taken for a third, until a page has shown its share.
  const unknown = await client.explain({ scope, where: { weight: { from: 29 } }, limit: 2 })
  expect(unknown.tree.inputs[0]?.text).toContain('lets through 33 %')
  expect(unknown.limits).toEqual([expect.stringMatching(/^the filter let through \d+ % of \d+ items/)])
})

test('in the order of its attribute a range is read as one', async () => {
  const { offers: client } = table.lapidary
  const query = { scope, by: 'price', limit: 5, order: 'lowest' } as const
  const within = await client.list({ ...query, where: { price: { from: 9, to: 80 } } })
  expect(within.plan.text).toMatch(/^byPrice\[s\] BY price ASC FROM 9 TO 80 LIMIT 5 -- /)
  // It is the same question, so a cursor is good for both; the narrower of two ranges counts.
  const same = await client.list({ ...query, from: 9, to: 80, cursor: within.cursors.next ?? '' })
  expect(same.items).toEqual(oracle.matching({ ...query, from: 9, to: 80 }).slice(5, 10))
  const both = await client.list({ ...query, from: 10, to: 90, where: { price: { from: 9, to: 80 } } })
  expect(both.plan.text).toContain('FROM 10 TO 80')
})

test('a cursor is of its range, counts are of it, and what is no range is refused', async () => {
  const { offers: client } = table.lapidary
  const { cursors } = await client.list({ scope, where: { price: { from: 9, to: 80 } }, limit: 2 })
  const cursor = cursors.next ?? ''
  for (const price of [{ from: 9 }, { from: 9, to: 81 }, { from: 9.5, to: 80 }, 9]) {
    const other = client.list({ scope, where: { price }, limit: 2, cursor })
    await expect(other).rejects.toMatchObject({ code: 'cursor_mismatch' })
  }
  const { total, facets } = await client.count({ scope, where: { price: { from: 9, to: 80 }, stars: { from: 4 } } })
  expect(total).toBe(oracle.matching({ scope, where: { price: [9, 10, 20], stars: [4, 5] } }).length)
  expect(facets?.stars?.['4']).toBe(oracle.matching({ scope, where: { price: [9, 10, 20], stars: 4 } }).length)
  const wrong = [
    [{ price: { from: '9' } }, /price: must be 0 or a number/],
    [{ price: { from: Number.NaN } }, /price: must be 0 or a number/],
    [{ price: { above: 9 } }, /price: takes a range of from and to, not above/],
    [{ price: {} }, /price: takes a range with from, to or both/],
    // A value that is no range must not be taken for a range without ends, which lets all through.
    ...[new Set([9]), new Map(), new Date(9), Object(9), Promise.resolve(9), /9/].map(
      (given) => [{ price: given }, /price: must be 0 or a number/] as const,
    ),
  ] as const
  for (const [where, message] of wrong)
    await expect(client.list({ scope, where: where as never })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(message),
    })
})

test('of more values than a filter expression takes, a range stays one', () => {
  const hundreds = Array.from({ length: 250 }, (_, i) => i)
  const collection = { ...offers, facets: { ...offers.facets, stars: anyOf(hundreds) } } as typeof offers
  const asked = (to: number) =>
    parseQuery(collection, { scope, where: { stars: { from: 0, to } } } as never).where.stars
  expect(asked(100)).toHaveLength(100)
  expect(asked(101)).toEqual({ from: 0, to: 101 })
})
