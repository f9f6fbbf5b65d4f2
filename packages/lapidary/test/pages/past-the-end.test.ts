import { createLapidary, type PageStore, segments } from 'lapidary'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { comment, comments } from '../comments-fixture.ts'
import { alteredLists } from './altered-lists.ts'

const client = createTestClient(testEngines()[0] as never)
const tableName = uniqueTableName()
/** Done after the next answer of the page index. */
let meanwhile: (() => Promise<void>) | undefined

/** Segments that something happens beside. */
function disturbed(): PageStore {
  return alteredLists(segments(), ({ select }) => ({
    price: () => ({ rcu: 0, rounds: 1 }),
    async select(question) {
      const answer = await select(question)
      const work = meanwhile
      meanwhile = undefined
      await work?.()
      return answer
    },
  }))
}

const lapidary = createLapidary({
  ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
  derived: { pages: disturbed() },
})
const QUERY = { scope: '42', limit: 3 } as const
const PAST = 900
/** So long that no list is read from its beginning where an index can be asked. */
const LONG = 'x'.repeat(8_000)

async function indexed(total: number): Promise<void> {
  await vi.waitFor(async () => expect((await lapidary.comments.page(PAST, QUERY)).page.total).toBe(total), PATIENCE)
}

beforeAll(async () => {
  await lapidary.table.create()
})
afterAll(() => dropTables(client, [tableName]))

test('a page past the end has no items, also while items go', async () => {
  await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
  for (let i = 0; i < 5; i++) await lapidary.comments.create(comment({ id: `c${i}` }))
  await indexed(5)
  for (let left = 4; left >= 0; left--) {
    meanwhile = async () => {
      await lapidary.comments.delete(`c${left}`)
      await indexed(left)
    }
    const { items, page } = await lapidary.comments.page(PAST, QUERY)
    expect(items).toEqual([])
    expect(page).toMatchObject({ number: PAST, total: left })
  }
})

test('a page that comes into being while the last one is looked for is that page', async () => {
  await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
  const write = async (from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      const createdAt = new Date(1_700_000_000_000 + i * 1_000).toISOString()
      await lapidary.comments.create(comment({ id: `n${i}`, createdAt, text: LONG }))
    }
    await indexed(to)
  }
  await write(0, 1)
  await lapidary.comments.list(QUERY)
  meanwhile = () => write(1, 8)
  const { items, page } = await lapidary.comments.page(3, QUERY)
  expect(items.map(({ id }) => id)).toEqual(['n1', 'n0'])
  expect(page).toMatchObject({ number: 3, total: 8 })
})
