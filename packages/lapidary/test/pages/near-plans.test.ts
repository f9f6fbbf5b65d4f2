import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, defineCollection, eachOf, type Lapidary, segments } from 'lapidary'
import { chosenSeed, createOracle, type Oracle, seededRandom } from 'lapidary-testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import type { List } from '../../src/layouts/layout.ts'
import { parseQuery } from '../../src/model/query.ts'
import { type Comment, comment, comments as plain } from '../comments-fixture.ts'
import { silentLists } from './altered-lists.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)
const [engine] = testEngines()
const ITEMS = 1_200
const ERA = 150

/** Comments with tags too, so that some lists have a part of the others' items. */
const comments = defineCollection({
  ...(plain as unknown as Parameters<typeof defineCollection>[0]),
  facets: { ...plain.facets, tags: eachOf() },
  indexes: { all: {}, byLanguageAndRating: { partition: ['language', 'rating'] }, byTag: { partition: ['tags'] } },
  pages: [{ facet: 'tags' }],
} as never) as unknown as typeof plain
type Comments = Lapidary<{ readonly comments: typeof comments }>
type Query = Parameters<Comments['comments']['page']>[1]

/** In each era another rating is nearly all that is written, as after a new version of a product. */
function ratingAt(i: number, random: () => number): Comment['rating'] {
  const rating = random() < 0.9 ? 1 + (Math.floor(i / ERA) % 5) : 1 + Math.floor(random() * 5)
  return rating as Comment['rating']
}

describe('where the mix of a list changes over time', () => {
  let client: DynamoDBClient
  let told: Comments
  let untold: Comments
  let oracle: Oracle<Comment>
  const tableName = uniqueTableName()

  beforeAll(async () => {
    if (engine === undefined) throw new Error('no engine')
    client = createTestClient(engine)
    const common = { client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' } as const
    told = createLapidary({ ...common, derived: { counts: true, pages: segments() } })
    untold = createLapidary({ ...common, derived: { counts: true, pages: silentLists(segments()) } })
    oracle = createOracle(comments)
    await told.table.create({ pages: 'later' })
    const random = seededRandom(seed)
    const made = Array.from({ length: ITEMS }, (_, i) =>
      comment({
        ...{ id: `c${i}`, language: random() < 0.7 ? 'en' : 'de', rating: ratingAt(i, random) },
        ...{ createdAt: new Date(1_604_923_200_000 + i * 1000).toISOString(), text: 'x'.repeat(700) },
        ...({ tags: i % 3 === 0 ? ['slow'] : ['good', 'slow'] } as object),
      }),
    )
    for (let i = 0; i < made.length; i += 16) {
      await Promise.all(made.slice(i, i + 16).map(async (each) => oracle.put(await told.comments.create(each))))
    }
    await told.derived.rebuildPages()
  })
  afterAll(() => dropTables(client, [tableName]))

  /** Capacity and rounds of the lists of pages, which are the oracle's. */
  async function taken(lapidary: Comments, asked: Query): Promise<{ readonly rcu: number; readonly rounds: number }> {
    const { limit = 20 } = asked
    const matching = oracle.matching(asked)
    let [rcu, rounds] = [0, 0]
    for (let number = 3; number * limit < matching.length; number += 2) {
      const { items, plan } = await lapidary.comments.page(number, asked)
      expect(items).toEqual(matching.slice((number - 1) * limit, number * limit))
      rcu += plan.actual?.rcu ?? 0
      rounds += plan.actual?.rounds ?? 0
    }
    return { rcu, rounds }
  }

  test.each<Query>([
    { scope: '42', where: { language: 'en', rating: [1, 2, 4] }, limit: 20 },
    { scope: '42', where: { language: 'en', rating: [1, 2, 3, 4] }, limit: 20 },
    { scope: '42', where: { language: 'en', rating: [2, 3, 5] }, limit: 30, order: 'oldest' },
  ])('pages of %j are read for less, and in fewer rounds', async (asked) => {
    const [near, far] = [await taken(told, asked), await taken(untold, asked)]
    expect(near.rcu).toBeLessThan(far.rcu)
    expect(near.rounds).toBeLessThan(far.rounds)
  })

  const list: List = { index: 'x', label: 'x', partition: 'x', prefix: '', holds: {} }

  test('a page says what its lists give as they do, each list by itself', async () => {
    const asked = { scope: '42', where: { language: 'en', rating: [1, 3] }, limit: 10 } as const
    const [matching, whole] = [oracle.matching(asked), oracle.matching({ scope: '42' })]
    const [index] = told.comments.context.pages
    for (const first of [0, 130, 280]) {
      const { near } = (await index?.find(parseQuery(comments, asked), first)) ?? {}
      const page = matching.slice(first, first + 11)
      const between = whole.slice(whole.indexOf(page[0] as Comment), whole.indexOf(page.at(-1) as Comment) + 1)
      const ones = page.filter(({ rating }) => rating === 1).length
      const ahead = page.slice(0, 9).filter(({ rating }) => rating === 1).length
      expect(near?.({ ...list, holds: { language: ['en'], rating: [1] } })).toEqual({
        ...{ given: ones, passed: ones, read: ones, ahead },
      })
      expect(near?.(list)).toMatchObject({ given: page.length, passed: page.length, read: between.length })
    }
  })

  test('of a list that the look-up saw a part of, nothing is said', async () => {
    const query = parseQuery(comments, { scope: '42', where: { tags: ['good'], rating: [1, 3] }, limit: 10 })
    const index = told.comments.context.pages.find(({ declared }) => declared.facet === 'tags')
    const { near } = (await index?.find(query, 40)) ?? {}
    expect(near?.(list)).toBeUndefined()
    expect(near?.({ ...list, part: 0.25, holds: { tags: ['good'] } })).toBeUndefined()
    expect(near?.({ ...list, holds: { tags: ['good'] } })).toMatchObject({ given: 11 })
  })
})
