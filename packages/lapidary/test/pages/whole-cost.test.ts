import { type DynamoDBClient, GetItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  createLapidary,
  indexes,
  type Lapidary,
  LapidaryError,
  type Layout,
  nativeKeys,
  type PageStore,
  pageMarkers,
  powerSet,
  segments,
} from 'lapidary'
import { chosenSeed, intercepted, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { type Comment, comment, comments } from '../comments-fixture.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

/** What a process reads once in a while for all its requests, of which no plan tells: which indexes are complete, what is derived, the state of a page index. */
const REGISTERS = /"~INDEXES|"~DERIVED|"~pages#[^"]*"\},"SK":\{"S":"~"\}/

/** Reads as the client saw them. */
interface Seen {
  rcu: number
  requests: number
}

/** A client that sums up what DynamoDB charges for reads. */
function countingReads(client: DynamoDBClient, seen: Seen): DynamoDBClient {
  return intercepted<DynamoDBClient>(client, async (command, send) => {
    const isRead =
      command instanceof GetItemCommand || command instanceof QueryCommand || command instanceof ScanCommand
    if (!isRead) return send(command)
    command.input.ReturnConsumedCapacity = 'TOTAL'
    const answer = (await send(command)) as { readonly ConsumedCapacity?: { readonly CapacityUnits?: number } }
    if (REGISTERS.test(JSON.stringify(command.input))) return answer
    seen.rcu += answer.ConsumedCapacity?.CapacityUnits ?? 0
    seen.requests += 1
    return answer
  })
}

const PRODUCTS = ['42', 'a/b #%', 'small'] as const
const options = { collections: { comments }, cursorSecret: 'a secret of the tests' } as const

const query = fc.record({
  scope: fc.oneof(fc.constantFrom(...PRODUCTS), fc.constant(PRODUCTS)),
  where: fc.constantFrom(
    {},
    { language: 'en' },
    { rating: [5] as const },
    { rating: [1, 3, 5] as const },
    { language: 'de', rating: [2, 5] as const },
  ),
  limit: fc.integer({ min: 1, max: 30 }),
  order: fc.constantFrom('newest' as const, 'oldest' as const),
  counts: fc.boolean(),
  maxCapacity: fc.constantFrom(undefined, 1, 2, 4, 30),
})

describe.each<readonly [string, Layout, PageStore]>([
  ['indexes and segments', indexes(), segments()],
  ['indexes and page markers', indexes(), pageMarkers({ every: 16 })],
  ['a power set and segments', powerSet(), segments()],
  ['a power set and page markers', powerSet(), pageMarkers({ every: 16 })],
  ['native keys and segments', nativeKeys(), segments()],
  ['native keys and page markers', nativeKeys(), pageMarkers({ every: 16 })],
])('what a page cost, of %s', (_, layout, pages) => {
  // Keys of several attributes are no matter of the embedded engine.
  const engine = testEngines().find(({ name }) => (layout.name === 'native-keys') === (name === 'dynamodb-local'))
  const seen: Seen = { rcu: 0, requests: 0 }
  const tableName = uniqueTableName()
  let plain: DynamoDBClient
  let lapidary: Lapidary<typeof options.collections>
  let later = 0

  beforeAll(async () => {
    if (engine === undefined) throw new Error('no engine')
    plain = createTestClient(engine)
    const settings = { ...options, tableName, layout, derived: { counts: true, pages } }
    const writer = createLapidary({ ...settings, client: plain })
    await writer.table.create()
    const random = seededRandom(seed)
    const made = Array.from({ length: 150 }, (__, i) =>
      comment({
        id: `c${i}`,
        productId: i % 12 === 0 ? 'small' : (PRODUCTS[Math.floor(random() * 2)] as string),
        language: random() < 0.7 ? 'en' : 'de',
        rating: (1 + Math.floor(random() * 5)) as Comment['rating'],
        createdAt: new Date(1_600_000_000_000 + i * 60_000).toISOString(),
        text: 'x'.repeat(Math.floor(random() * 600)),
      }),
    )
    // In the order of time, for markers.
    for (const each of made) await writer.comments.create(each)
    await writer.stream.catchUp()
    lapidary = createLapidary({
      ...{ ...settings, client: countingReads(plain, seen) },
      clock: () => Date.now() + later,
    })
  })
  afterAll(async () => {
    await dropTables(plain, [tableName])
  })

  const spent = async <T>(read: () => Promise<T>): Promise<T> => {
    Object.assign(seen, { rcu: 0, requests: 0 })
    return read()
  }

  test('is what the client saw, of pages by cursor and by number', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 60 }), fc.boolean(), async (asked, number, isStale) => {
        // Counts are at hand for a second.
        if (isStale) later += 2_000
        const isNumbered = number <= 40
        const reading = spent(() =>
          isNumbered ? lapidary.comments.page(number, asked) : lapidary.comments.list(asked),
        )
        const page = await reading.catch((error: unknown) => {
          if (asked.maxCapacity === undefined || !(error instanceof LapidaryError)) throw error
          expect(error.code).toBe('capacity_exhausted')
        })
        if (page === undefined) return
        const { actual, estimated, text, tree, pageIndex } = page.plan
        expect([actual?.rcu, tree.actual?.rcu]).toEqual([seen.rcu, seen.rcu])
        expect(tree.actual?.requests).toBe(actual?.requests)
        // A page index may tell its rounds alone, each of one request or more.
        if (pageIndex === null) expect(actual?.requests).toBe(seen.requests)
        else expect(actual?.requests).toBeLessThanOrEqual(seen.requests)
        const [__, rcu, rounds] = / -- ([\d.]+) RCU, (\d+) rounds?$/.exec(text) ?? []
        expect([Number(rcu), Number(rounds)]).toEqual([Math.round(estimated.rcu * 2) / 2, Math.round(estimated.rounds)])
        expect(actual?.rounds).toBeLessThanOrEqual(seen.requests)
      }),
      { seed, numRuns: 80 },
    )
  })

  test('is no more than the cap and one item of each list', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom(0.5, 1, 1.5, 2, 3), async (asked, maxCapacity) => {
        later += 2_000
        const reading = spent(() => lapidary.comments.list({ ...asked, maxCapacity }))
        const page = await reading.catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'capacity_exhausted' })
        })
        if (page === undefined) return
        const lists = page.plan.slots === null ? 0 : JSON.stringify(page.plan.tree).split('"kind":"source"').length - 1
        // Entries of these are of 0.5 RCU at most.
        expect(seen.rcu).toBeLessThanOrEqual(maxCapacity + 0.5 * lists)
        if (page.page.total === null && asked.counts) expect(page.plan.limits).toContain('maxCapacity')
      }),
      { seed, numRuns: 40 },
    )
  })

  test('of counts is what the client saw', async () => {
    for (const scope of [...PRODUCTS, PRODUCTS]) {
      later += 2_000
      const { rcu, total } = await spent(() => lapidary.comments.count({ scope }))
      expect(total).toBeGreaterThan(0)
      expect(rcu).toBe(seen.rcu)
      expect((await spent(() => lapidary.comments.count({ scope }))).rcu).toBe(0)
      expect(seen.requests).toBe(0)
    }
  })
})
