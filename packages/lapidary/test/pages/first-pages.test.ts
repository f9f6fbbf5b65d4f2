import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, type Lapidary, type PageStore, segments } from 'lapidary'
import { chosenSeed, createOracle, type Oracle, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { type Comment, comment, comments } from '../comments-fixture.ts'
import { alteredLists } from './altered-lists.ts'

const seed = chosenSeed(process.env.FC_SEED)
const [engine] = testEngines()
const ITEMS = 900

type Comments = Lapidary<{ readonly comments: typeof comments }>
type Query = Parameters<Comments['comments']['page']>[1]

/** The same store, which is asked for every page because it says that asking takes nothing. */
function free(store: PageStore): PageStore {
  return alteredLists(store, () => ({ price: () => ({ rcu: 0, rounds: 2 }) }))
}

function timeOf(second: number): string {
  return new Date(1_604_923_200_000 + second * 1000).toISOString()
}

/** Bytes of texts: short ones, long ones, and a mix in which one in ten is long. */
const TEXTS: Readonly<Record<string, (random: () => number) => number>> = {
  short: () => 30,
  long: () => 4_000,
  mixed: (random) => (random() < 0.1 ? 5_000 : 300),
}

describe.each(Object.entries(TEXTS))('first pages of %s texts', (name, bytesOf) => {
  let client: DynamoDBClient
  let planned: Comments
  let indexed: Comments
  let oracle: Oracle<Comment>
  const tableName = uniqueTableName()

  beforeAll(async () => {
    if (engine === undefined) throw new Error('no engine')
    client = createTestClient(engine)
    const common = { client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' } as const
    planned = createLapidary({ ...common, derived: { pages: segments() } })
    indexed = createLapidary({ ...common, derived: { pages: free(segments()) } })
    oracle = createOracle(comments)
    await planned.table.create({ pages: 'later' })
    const random = seededRandom(seed)
    const made = Array.from({ length: ITEMS }, (_each, i) =>
      comment({
        id: `c${i}`,
        language: random() < 0.6 ? 'en' : 'de',
        rating: random() < 0.5 ? 5 : ((1 + Math.floor(random() * 4)) as Comment['rating']),
        createdAt: timeOf(Math.floor(random() * 600)),
        text: 'x'.repeat(bytesOf(random)),
      }),
    )
    for (let i = 0; i < made.length; i += 16) {
      await Promise.all(made.slice(i, i + 16).map(async (each) => oracle.put(await planned.comments.create(each))))
    }
    await planned.derived.rebuildPages()
  })
  afterAll(() => dropTables(client, [tableName]))

  const queries: readonly Query[] = [
    { scope: '42' },
    { scope: '42', where: { rating: 5 } },
    { scope: '42', where: { rating: [1, 2, 4] }, limit: 7 },
    { scope: '42', where: { language: 'en', rating: [3, 5] }, limit: 50 },
    { scope: '42', where: { language: 'de' }, order: 'oldest' },
    { scope: '42', where: { rating: 5 }, from: timeOf(100), to: timeOf(350) },
  ]

  test('are the oracle’s, whichever way they are read, and take no more than by the index', async () => {
    let [sliced, spent, spentByIndex] = [0, 0, 0]
    // What entries weigh is learned from the first pages.
    for (const query of queries) await planned.comments.page(1, query)
    for (const query of queries) {
      const { limit = 20 } = query
      const matching = oracle.matching(query)
      for (const number of [2, 3, 4, 5, 7, 9, 14, 60]) {
        const pages = [await planned.comments.page(number, query), await indexed.comments.page(number, query)] as const
        const [cheap, byIndex] = pages.map(({ plan }) => plan.actual?.rcu ?? 0) as [number, number]
        const first = (number - 1) * limit
        for (const { items, page, cursors } of pages) {
          expect(items).toEqual(matching.slice(first, first + limit))
          expect(page).toMatchObject({ number, total: matching.length, count: Math.ceil(matching.length / limit) })
          expect(cursors.next === null).toBe(first + limit >= matching.length)
          const end = Math.min(first, matching.length)
          const before = await planned.comments.list({ ...query, cursor: cursors.previous ?? undefined })
          expect(before.items).toEqual(matching.slice(Math.max(0, end - limit), end))
        }
        const { plan } = pages[0]
        if (plan.text.includes(`LESS THE FIRST ${first}`)) {
          sliced += 1
          expect(plan.rejected.at(-1)?.text).toContain(`PAGE INDEX OFFSET ${first}`)
          // A merge may take another round than expected.
          expect(cheap).toBeLessThanOrEqual(1.3 * byIndex + 2)
        }
        spent += cheap
        spentByIndex += byIndex
      }
    }
    // Of long ones a page may weigh more than the index.
    if (name === 'short') expect(sliced).toBeGreaterThan(0)
    expect(spent).toBeLessThanOrEqual(1.05 * spentByIndex)
  })

  test('of a range have a total from the index', async () => {
    for (const [from, to] of [
      [100, 350],
      [undefined, 200],
      [590, undefined],
    ] as const) {
      const query: Query = {
        scope: '42',
        where: { rating: [4, 5] },
        ...(from === undefined ? {} : { from: timeOf(from) }),
        ...(to === undefined ? {} : { to: timeOf(to) }),
      }
      const expected = oracle.matching(query).length
      for (const read of [() => planned.comments.list(query), () => planned.comments.page(1, query)]) {
        // A page waits for its total a moment only.
        await vi.waitFor(async () => {
          const { page, plan } = await read()
          expect(page).toMatchObject({ total: expected, count: Math.ceil(expected / 20) })
          expect(plan.pageIndex?.rcu).toBeLessThanOrEqual(6)
        }, PATIENCE)
      }
    }
  })
})
