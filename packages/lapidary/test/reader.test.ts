import { createLapidary } from 'lapidary'
import { createReader } from 'lapidary/reader'
import { importItems } from 'lapidary/transfer'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type Comment, comment, comments } from './comments-fixture.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const client = createTestClient(engine)
const options = {
  ...{ client, tableName: uniqueTableName(), keys: { pk: 'pk', sk: 'sk' }, collections: { comments } },
  ...{ cursorSecret: 'a secret of the tests', derived: { counts: true }, stream: { immediate: true } },
} as const
const lapidary = createLapidary(options)
const reader = createReader(options)

const ITEMS = Array.from({ length: 30 }, (_, i) => comment({ id: `c${i}`, rating: ((i % 5) + 1) as Comment['rating'] }))

beforeAll(async () => {
  await lapidary.table.create()
  await importItems(lapidary.comments, ITEMS)
})
afterAll(() => dropTables(client, [options.tableName]))

test('a reader gives what the whole database gives, and its cursors lead on there', async () => {
  const query = { scope: '42', where: { rating: [2, 4, 5] }, limit: 7 } as const
  const [first, whole] = await Promise.all([reader.comments.list(query), lapidary.comments.list(query)])
  expect(first.items).toEqual(whole.items)
  expect(first.cursors).toEqual(whole.cursors)
  expect(first.items).toHaveLength(7)

  const cursor = first.cursors.next ?? ''
  const second = await lapidary.comments.list({ ...query, cursor })
  expect((await reader.comments.list({ ...query, cursor })).items).toEqual(second.items)
  expect((await reader.comments.plan(query)).text).toBe((await lapidary.comments.plan(query)).text)
  expect((await reader.comments.explain(query)).actual?.itemsReturned).toBe(7)
  expect(await reader.comments.get('c3')).toEqual(await lapidary.comments.get('c3'))
  expect((await reader.comments.getMany(['c1', 'none'])).map((found) => found?.id)).toEqual(['c1', undefined])

  const all = []
  for await (const { id } of reader.comments.iterate({ scope: '42', limit: 11 })) all.push(id)
  expect(all.toSorted()).toEqual(ITEMS.map(({ id }) => id).toSorted())
})

test('a reader tells counts that another process keeps', async () => {
  await using _poller = await lapidary.stream.start({ idleMs: 20, gatherMs: 20 })
  await vi.waitFor(async () => {
    const { total, facets } = await reader.comments.count({ scope: '42', where: { rating: [4, 5] } })
    expect(total).toBe(12)
    expect(facets?.rating).toMatchObject({ 1: 6, 5: 6 })
  }, PATIENCE)
})

test('a reader has nothing that writes', () => {
  expect(Object.keys(reader)).toEqual(['comments'])
  expect(Object.keys(reader.comments).toSorted()).toEqual([
    'count',
    'explain',
    'get',
    'getMany',
    'iterate',
    'list',
    'plan',
  ])
})

test('a reader refuses a secret that is too short', () => {
  expect(() => createReader({ ...options, cursorSecret: 'short' })).toThrow(/16 characters/)
})
