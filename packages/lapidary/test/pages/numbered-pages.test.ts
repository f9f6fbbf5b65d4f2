import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { createLapidary, type Lapidary, type Poller, parseQuery, segments } from 'lapidary'
import { chosenSeed, createOracle, type Oracle, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { type Comment, comment, comments } from '../comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const options = {
  collections: { comments },
  cursorSecret: 'a secret of the tests',
  derived: { counts: true, pages: segments() },
} as const
type Comments = Lapidary<typeof options.collections>
type Query = Parameters<Comments['comments']['page']>[1]

interface Setting {
  readonly client: DynamoDBClient
  readonly lapidary: Comments
  readonly poller: Poller
  readonly oracle: Oracle<Comment>
}

const PRODUCTS = ['42', 'a/b #%', 'small'] as const
const ratings = [1, 2, 3, 4, 5] as const

/** Whole seconds of an hour, so that there are many ties. */
function timeOf(second: number): string {
  return new Date(1_604_923_200_000 + second * 1000).toISOString()
}

async function writeComments({ lapidary, oracle }: Setting, count: number, first: number): Promise<void> {
  const random = seededRandom(seed + first)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const made = Array.from({ length: count }, (_, i) =>
    comment({
      id: `c${first + i}`,
      productId: i % 40 === 0 ? 'small' : pick(['42', '42', 'a/b #%']),
      language: pick(['en', 'en', 'de', 'pt-br']),
      rating: pick([...ratings, 5, 5]),
      createdAt: timeOf(Math.floor(random() * 900)),
    }),
  )
  for (let i = 0; i < made.length; i += 16) {
    await Promise.all(made.slice(i, i + 16).map(async (each) => oracle.put(await lapidary.comments.create(each))))
  }
}

/** Every third is moved to another list, and every seventh deleted. */
async function changeComments({ lapidary, oracle }: Setting, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const id = `c${i}`
    if (oracle.get(id) === undefined) continue
    if (i % 7 === 0) {
      await lapidary.comments.delete(id)
      oracle.delete(id)
    } else if (i % 3 === 0)
      oracle.put(await lapidary.comments.patch(id, { rating: ratings[i % 5] as Comment['rating'] }))
  }
}

/** Everything that was written is in the page index. */
async function indexed({ lapidary, oracle, poller }: Setting): Promise<void> {
  const about = async () =>
    JSON.stringify([await lapidary.derived.gaps(), await lapidary.derived.states(), poller.status()])
  for (const scope of PRODUCTS) {
    const total = oracle.matching({ scope }).length
    for (const rating of ratings) {
      const count = oracle.matching({ scope, where: { rating } }).length
      await vi.waitFor(async () => {
        const { page } = await lapidary.comments.page(1_000_000, { scope, where: { rating } })
        expect(page.total, await about()).toBe(count)
      }, PATIENCE)
    }
    await vi.waitFor(async () => {
      expect((await lapidary.comments.page(1_000_000, { scope })).page.total).toBe(total)
      expect((await lapidary.comments.count({ scope })).total, await about()).toBe(total)
    }, PATIENCE)
  }
}

const product = fc.constantFrom(...PRODUCTS, 'none')
const query: fc.Arbitrary<Query> = fc.record(
  {
    // A product that is named twice is named once.
    scope: fc.oneof(product, fc.array(product, { minLength: 1, maxLength: 4 })),
    where: fc.record(
      {
        language: fc.constantFrom('en', 'de', 'xx'),
        rating: fc.subarray([...ratings]),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    order: fc.constantFrom('newest', 'oldest'),
    limit: fc.constantFrom(1, 7, 20, 100),
    from: fc.integer({ min: -10, max: 950 }).map(timeOf),
    to: fc.integer({ min: -10, max: 950 }).map(timeOf),
  },
  { requiredKeys: ['scope', 'limit'], noNullPrototype: true },
)

async function expectPage({ lapidary, oracle }: Setting, asked: Query, number: number): Promise<void> {
  const { limit = 20 } = asked
  const matching = oracle.matching(asked)
  const first = (number - 1) * limit
  const page = await lapidary.comments.page(number, asked)
  expect(page.items).toEqual(matching.slice(first, first + limit))
  const total = number === 1 && asked.from === undefined && asked.to === undefined ? matching.length : page.page.total
  expect(page.page).toMatchObject({ number, size: limit })
  if (number > 1) expect(page.page).toMatchObject({ total: matching.length, count: Math.ceil(matching.length / limit) })
  // The page index is as old as the counts, also of a range, of which there are no counts. What is read to its end has no age.
  if (number > 1 && matching.length > first + limit) {
    const { asOf: latest } = await lapidary.comments.count({ scope: asked.scope })
    expect(latest).not.toBeNull()
    expect(page.asOf).not.toBeNull()
    expect(Date.parse(String(page.asOf))).toBeLessThanOrEqual(Date.parse(String(latest)))
  }
  expect(total === null || total === matching.length).toBe(true)
  expect(page.cursors.next === null).toBe(first + limit >= matching.length)
  if (page.cursors.next !== null) {
    const next = await lapidary.comments.list({ ...asked, cursor: page.cursors.next })
    expect(next.items).toEqual(matching.slice(first + limit, first + 2 * limit))
    expect(next.page).toMatchObject({ number: null, about: number + 1 })
  }
  expect(page.cursors.previous === null).toBe(number === 1 || matching.length === 0)
  if (page.cursors.previous !== null) {
    const end = Math.min(first, matching.length)
    const previous = await lapidary.comments.list({ ...asked, cursor: page.cursors.previous })
    const start = Math.max(0, end - limit)
    expect(previous.items).toEqual(matching.slice(start, end))
    expect(previous.page).toMatchObject({ number: null, about: start % limit === 0 ? start / limit + 1 : null })
  }
}

describe.each(testEngines())('pages by number on $name', (engine) => {
  let setting: Setting
  beforeAll(async () => {
    const client = createTestClient(engine)
    const lapidary = createLapidary({ ...options, client, tableName: uniqueTableName(), stream: { immediate: true } })
    await lapidary.table.create()
    const poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 50, discoverMs: 200 })
    setting = { client, lapidary, poller, oracle: createOracle(comments) }
    await writeComments(setting, 500, 0)
    await changeComments(setting, 200)
    await indexed(setting)
  })
  afterAll(async () => {
    await setting.poller.close()
    await dropTables(setting.client, [setting.lapidary.table.definition().tableName])
  })

  test('each page of each filter is the oracle’s, and its cursors go on from there', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.oneof(fc.integer({ min: 1, max: 6 }), fc.nat({ max: 60 })), async (asked, n) => {
        await expectPage(setting, asked, n + 1)
      }),
      { seed, numRuns: 60 },
    )
  })

  test('a whole list by numbers is the list, page by page of one item', async () => {
    const asked = { scope: 'small', limit: 1 }
    for (let number = 1; number <= setting.oracle.matching(asked).length + 2; number++) {
      await expectPage(setting, asked, number)
    }
  })

  test('a page at any depth takes two rounds for its place and one for the list', async () => {
    const { plan } = await setting.lapidary.comments.page(9, { scope: '42', limit: 20 })
    expect(plan.pageIndex).toMatchObject({ rounds: 2 })
    expect(plan.actual?.rounds).toBe(3)
  })

  test('a page of several products takes the rounds of one, and the RCU of each', async () => {
    const { comments: client } = setting.lapidary
    const each = await Promise.all(PRODUCTS.map((scope) => client.page(1_000, { scope })))
    const { plan, page } = await client.page(9, { scope: PRODUCTS, limit: 20 })
    expect(page.total).toBe(each.reduce((sum, one) => sum + (one.page.total ?? 0), 0))
    expect(plan.pageIndex?.rounds).toBe(2)
    const rcu = each.reduce((sum, one) => sum + (one.plan.pageIndex?.rcu ?? 0), 0)
    expect(plan.pageIndex?.rcu).toBeLessThanOrEqual(rcu)
    // A merge of several lists may need one more, whatever it expected.
    expect([3, 4]).toContain(plan.actual?.rounds)
    const { pages, collection } = client.context
    const price = (scope: string | readonly string[]) => {
      const query = parseQuery(collection, { scope })
      return pages[0]?.price(query, { entriesIn: () => 300, entry: true }) ?? expect.fail('no page index')
    }
    const prices = PRODUCTS.map((scope) => price(scope).rcu)
    expect(price(PRODUCTS)).toEqual({ rcu: prices.reduce((sum, one) => sum + one, 0), rounds: 2 })
  })

  test('of more products than a query may name, a page is refused with both numbers', async () => {
    const scope = Array.from({ length: 33 }, (_, i) => `p${i}`)
    const message = expect.stringContaining('takes 1 to 32 scopes, not 33')
    await expect(setting.lapidary.comments.page(2, { scope })).rejects.toMatchObject({ code: 'unprocessable', message })
  })

  test('from a page by number, next goes on by cursor through the pages that follow', async () => {
    const asked = { scope: '42', where: { rating: [1, 2, 5] }, limit: 7 } as const
    const expected = setting.oracle.matching(asked)
    let page = await setting.lapidary.comments.page(12, asked)
    for (let first = 11 * 7; first < expected.length; first += 7) {
      expect(page.items).toEqual(expected.slice(first, first + 7))
      expect(page.page).toMatchObject(
        first === 77 ? { number: 12, about: null } : { number: null, about: first / 7 + 1 },
      )
      if (page.cursors.next === null) break
      page = await setting.lapidary.comments.list({ ...asked, cursor: page.cursors.next })
    }
    expect(page.items.at(-1)).toEqual(expected.at(-1))
  })

  test.each([0, -1, 1.5, Number.NaN, 2 ** 60])('the page number %s is refused', async (number) => {
    const page = setting.lapidary.comments.page(number, { scope: '42' })
    await expect(page).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining(String(number)),
    })
  })

  test('a rebuild while items change makes the same index', async () => {
    const { lapidary } = setting
    const writing = writeComments(setting, 120, 10_000)
    const { items } = await lapidary.derived.rebuildPages()
    expect(items).toBeGreaterThan(300)
    await writing
    await changeComments(setting, 260)
    await indexed(setting)
    await fc.assert(
      fc.asyncProperty(query, fc.nat({ max: 30 }), (asked, n) => expectPage(setting, asked, n + 1)),
      { seed, numRuns: 20 },
    )
    const lists = lapidary.comments.context.pages[0]?.lists
    for (const scope of ['42', 'a%2Fb%20%23%25', 'small']) await lists?.validate(scope)
  })
})

describe('a page index', () => {
  const [engine] = testEngines()

  test('that is not built says what to do, and the first page is there all the same', async () => {
    if (engine === undefined) throw new Error('no engine')
    const client = createTestClient(engine)
    const tableName = uniqueTableName()
    const before = createLapidary({ client, tableName, collections: { comments }, cursorSecret: options.cursorSecret })
    await before.table.create()
    const written = await before.comments.create(comment())
    const lapidary = createLapidary({ ...options, client, tableName })
    const first = await lapidary.comments.page(1, { scope: '42' })
    expect(first.items).toEqual([written])
    expect(await lapidary.comments.page(2, { scope: '42' })).toMatchObject({ items: [], page: { total: 1, count: 1 } })
    await expect(lapidary.comments.page(500, { scope: '42' })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('rebuild page-index'),
    })
    await expect(before.comments.page(2, { scope: '42' })).rejects.toMatchObject({ code: 'not_implemented' })
    await lapidary.derived.rebuildPages()
    const beyond = await createLapidary({ ...options, client, tableName }).comments.page(500, { scope: '42' })
    expect(beyond).toMatchObject({ items: [], page: { number: 500, total: 1, count: 1 } })
    await dropTables(client, [tableName])
  })
})
