import { anyOf, createLapidary, defineCollection, type IndexDeclaration, LapidaryError, oneOf } from 'lapidary'
import { seededRandom } from 'lapidary-testing'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { schemaOf } from './comments-fixture.ts'

interface Review {
  readonly id: string
  readonly shop: string
  readonly language: string
  readonly stars: number
  readonly at: string
}

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const client = createTestClient(engine)
const tableNames: string[] = []
afterAll(() => dropTables(client, tableNames))
const WHOLE_MINUTES = 300_000

/** Shops whose names sort apart from their escaped forms, and one too long for a key that holds it whole. */
const SHOPS = ['a', 'a.b', 'a-b', 'a#b', 'ä', '\u{1F600}', '~', 'z', 'z z', 'zz', 'y'.repeat(500)]

async function open(
  indexes: Readonly<Record<string, IndexDeclaration<'language' | 'stars'>>>,
  shards?: number,
  tableName = uniqueTableName(),
) {
  const reviews = defineCollection({
    name: 'REVIEW',
    schema: schemaOf<Review>(),
    id: 'id',
    scope: { name: 'SHOP', attribute: 'shop' },
    order: 'at',
    facets: { language: oneOf(), stars: anyOf([1, 2, 3, 4, 5]) },
    indexes,
    leaderboards: { best: { where: { stars: [5] }, ...(shards === undefined ? {} : { shards }) } },
  })
  if (!tableNames.includes(tableName)) tableNames.push(tableName)
  const lapidary = createLapidary({
    client,
    tableName,
    collections: { reviews },
    cursorSecret: 'a secret of the tests',
    derived: { counts: true },
    stream: { immediate: true },
  })
  await lapidary.table.create()
  return lapidary
}

type Opened = Awaited<ReturnType<typeof open>>

/** Writes reviews by seed, waits until they are counted, and says what the board should be. */
async function fill({ reviews, stream }: Opened, seed: number) {
  const random = seededRandom(seed)
  const counts = new Map<string, number>()
  await using poller = await stream.start({ idleMs: 20, gatherMs: 20 })
  for (const shop of SHOPS) {
    for (let i = Math.floor(random() * 4); i > 0; i--) {
      await reviews.create({ shop, language: random() < 0.5 ? 'en' : 'de', stars: 5 })
      counts.set(shop, (counts.get(shop) ?? 0) + 1)
    }
  }
  await reviews.create({ shop: 'nobody', language: 'en', stars: 4 })
  const written = Date.now()
  await vi.waitUntil(() => (poller.status().caughtUpAt ?? 0) > written, { timeout: WHOLE_MINUTES, interval: 20 })
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])))
  return sorted.map(([scope, count]) => ({
    scope,
    count,
    rank: 1 + sorted.filter(([, other]) => other > count).length,
  }))
}

describe('a leaderboard is a list', () => {
  test.each([
    ['in a plain index', { all: {} }, 1],
    ['in shards', { all: {} }, 3],
    ['where there are only sorted indexes', { byStars: { sort: ['stars'] } }, 1],
    ['where there are only sparse indexes', { good: { partition: ['language'], only: { stars: [5] } } }, 2],
  ] as const)('%s: its pages are those of a sort in memory, with ranks that go on', async (_, indexes, shards) => {
    const lapidary = await open(indexes, shards)
    const expected = await fill(lapidary, 1)
    expect((await lapidary.reviews.leaderboard({ name: 'best', limit: 100 })).entries).toEqual(expected)
    for (const limit of [1, 3]) {
      const found: unknown[] = []
      let cursor: string | undefined
      do {
        const page = await lapidary.reviews.leaderboard({ name: 'best', limit, cursor })
        found.push(...(page.entries ?? expect.fail('not known')))
        cursor = page.cursors.next ?? undefined
        expect(found.length).toBeLessThanOrEqual(expected.length)
      } while (cursor !== undefined)
      expect(found).toEqual(expected)
    }
  })

  test('a board of fewer shards than before is not known until it is filled, and the one before goes on', async () => {
    const before = await open({ all: {} }, 4)
    const expected = await fill(before, 1)
    const fewer = await open({ all: {} }, 2, tableNames.at(-1))
    const entriesOf = async ({ reviews }: Opened) => (await reviews.leaderboard({ name: 'best', limit: 100 })).entries
    expect(await entriesOf(fewer)).toBeNull()
    expect(await fewer.derived.rebuild('leaderboards')).toMatchObject({ mended: expect.any(Number) })
    expect(await entriesOf(fewer)).toEqual(expected)
    expect(await entriesOf(before)).toEqual(expected)
  })

  test('ten entries cost half a unit in one request, and the plan says so', async () => {
    const lapidary = await open({ all: {} })
    await fill(lapidary, 2)
    const { plan } = await lapidary.reviews.leaderboard({ name: 'best', limit: 10 })
    expect(plan).toMatchObject({ actual: { rcu: 0.5, requests: 1, rounds: 1 } })
    expect(plan.text).toBe('all[leaders/best/0] BY position ASC LIMIT 10 -- 0.5 RCU, 1 round')
  })

  test('its cursor is none of a list, nor of another board or filter', async () => {
    const lapidary = await open({ all: {} })
    await fill(lapidary, 3)
    const { cursors } = await lapidary.reviews.leaderboard({ name: 'best', limit: 1 })
    const cursor = cursors.next ?? ''
    const refused = { code: 'cursor_mismatch' }
    await expect(lapidary.reviews.list({ scope: 'best', order: 'oldest', cursor })).rejects.toMatchObject(refused)
    const other = lapidary.reviews.leaderboard({ name: 'best', where: { language: 'en' }, cursor })
    await expect(other).rejects.toMatchObject(refused)
  })
})

test('a leaderboard that no index can carry is refused, where it is declared', () => {
  const reviews = defineCollection({
    name: 'REVIEW',
    schema: schemaOf<Review>(),
    id: 'id',
    scope: { name: 'SHOP', attribute: 'shop' },
    order: 'at',
    facets: { stars: anyOf([1, 2, 3, 4, 5]) },
    indexes: {},
    leaderboards: { best: { where: { stars: [5] } } },
  })
  const options = { client, tableName: 'reviews', collections: { reviews }, cursorSecret: 'a secret of the tests' }
  expect(() => createLapidary(options)).toThrow(LapidaryError)
  expect(() => createLapidary(options)).toThrow(/no index that can carry its leaderboard best/)
})
