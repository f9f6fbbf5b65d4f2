import { type Lapidary, segments } from 'lapidary'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { comment, comments } from './comments-fixture.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const query = { scope: '42', limit: 3 } as const
const SHALLOW = 30

let table: TestTable<{ comments: typeof comments }>
let lapidary: Lapidary<{ comments: typeof comments }>
beforeAll(async () => {
  table = await openTestTable(engine, { comments }, { derived: { counts: true, pages: segments() } })
  lapidary = table.lapidary
})
afterAll(() => table[Symbol.asyncDispose]())

/** Writes comments, the later numbers the older ones: they come last. */
async function write(from: number, to: number): Promise<void> {
  const written = Array.from({ length: to - from }, (_, i) =>
    lapidary.comments.create(
      comment({ id: String(from + i), createdAt: new Date(Date.UTC(2024, 0, 1) - (from + i) * 60_000).toISOString() }),
    ),
  )
  await Promise.all(written)
}

const untilTotal = (total: number): Promise<unknown> =>
  vi.waitUntil(async () => {
    const [counts, page] = await Promise.all([
      lapidary.comments.count({ scope: '42' }),
      lapidary.comments.page(500, query).catch(() => undefined),
    ])
    return counts.total === total && page?.page.total === total
  }, PATIENCE)

test('before anything was counted nothing is known, rather than zero', async () => {
  await write(0, SHALLOW)
  const counts = await lapidary.comments.count({ scope: '42' })
  expect(counts).toMatchObject({ total: null, facets: null, asOf: null, unknown: 'uncounted' })
  const { page, facets, plan } = await lapidary.comments.list(query)
  expect([page.total, page.count, facets]).toEqual([null, null, null])
  expect(plan.notes).toContainEqual({ kind: 'unknown', what: 'counts', reason: 'uncounted' })
  expect(plan.limits).toContain('no process follows the change stream, so counts are not known; run lapidary stream')
  // All that there is on one page is known from the page.
  expect((await lapidary.comments.list({ scope: '42', limit: 100 })).page).toMatchObject({ total: SHALLOW, count: 1 })
  // A page so deep is looked up.
  await expect(lapidary.comments.page(500, query)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('no process follows the change stream'),
  })
  const poller = await lapidary.stream.start()
  await untilTotal(SHALLOW)
  await poller.close()
})

test('counts that have fewer than a page shows are behind, and give no total', async () => {
  await lapidary.comments.create(comment({ id: 'other', productId: '43' }))
  await lapidary.comments.create(comment({ id: 'more', productId: '43' }))
  const { page, facets } = await lapidary.comments.list({ scope: '43', limit: 1 })
  expect([page.total, page.count, facets]).toEqual([null, null, null])
})

test('a page past what is indexed has no items of another page, and says why', async () => {
  const more = 200
  await write(SHALLOW, SHALLOW + more)
  // Few enough are read and passed over: the index is not asked.
  expect((await lapidary.comments.page(1 + SHALLOW / 3, query)).items.map(({ id }) => id)).toEqual(['30', '31', '32'])
  for (const number of [3_000, 7_500]) {
    const { items, page, cursors, plan } = await lapidary.comments.page(number, query)
    expect(items).toEqual([])
    expect(page).toMatchObject({ number, total: null, count: null })
    expect(plan.notes).toContainEqual({ kind: 'behind' })
    const back = await lapidary.comments.list({ ...query, cursor: cursors.previous })
    expect(back.items.map(({ id }) => id)).toEqual(['27', '28', '29'])
  }
  const poller = await lapidary.stream.start()
  await untilTotal(SHALLOW + more)
  const { items, plan } = await lapidary.comments.page(7_500, query)
  expect([items, plan.notes]).toEqual([[], []])
  await poller.close()
})
