import { createLapidary, type Lapidary } from 'lapidary'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { comment, comments } from './comments-fixture.ts'

/** Which page a cursor leads to, counted on from the page where the cursors began. */

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client = createTestClient(engine)
const tableName = uniqueTableName()
const lapidary: Lapidary<{ comments: typeof comments }> = createLapidary({
  ...{ client, tableName, collections: { comments } },
  cursorSecret: 'a secret of the tests',
})
const list = (options: Omit<Parameters<typeof lapidary.comments.list>[0], 'scope'>) =>
  lapidary.comments.list({ scope: '42', ...options })
const timeOf = (minute: number): string => new Date(1_604_923_200_000 + minute * 60_000).toISOString()
const write = (minute: number, id = `c${minute}`) =>
  lapidary.comments.create(comment({ id, productId: '42', createdAt: timeOf(minute), rating: 5 }))

beforeAll(async () => {
  await lapidary.table.create()
  for (let minute = 0; minute < 20; minute++) await write(minute)
})
afterAll(() => dropTables(client, [tableName]))

const cursorOf = (cursor: string | null): string => {
  if (cursor === null) throw new Error('there is no such page')
  return cursor
}

test('pages are counted on from the first, without a page index, and back again', async () => {
  const first = await list({ limit: 4 })
  expect(first.page).toMatchObject({ number: 1, about: null })
  const second = await list({ limit: 4, cursor: cursorOf(first.cursors.next) })
  expect(second.page).toMatchObject({ number: null, about: 2 })
  const third = await list({ limit: 4, cursor: cursorOf(second.cursors.next) })
  expect(third.page.about).toBe(3)
  const back = await list({ limit: 4, cursor: cursorOf(third.cursors.previous) })
  expect(back).toMatchObject({ items: second.items, page: { about: 2 } })
})

test('a page of another size has the number that it has in pages of that size, or none', async () => {
  const { cursors } = await list({ limit: 4 })
  const next = cursorOf(cursors.next)
  expect((await list({ limit: 2, cursor: next })).page.about).toBe(3)
  expect((await list({ limit: 4, cursor: next })).page.about).toBe(2)
  expect((await list({ limit: 3, cursor: next })).page.about).toBeNull()
})

test('what comes before a page later is not counted, until the start of the list is reached', async () => {
  const first = await list({ limit: 4 })
  const second = await list({ limit: 4, cursor: cursorOf(first.cursors.next) })
  for (const minute of [30, 31, 32]) await write(minute)
  const third = await list({ limit: 4, cursor: cursorOf(second.cursors.next) })
  expect(third.page.about).toBe(3)
  const back = await list({ limit: 4, cursor: cursorOf(second.cursors.previous) })
  expect(back).toMatchObject({ items: first.items, page: { about: null } })
  // More is there than was counted, so no number is right.
  const start = await list({ limit: 4, cursor: cursorOf(back.cursors.previous) })
  expect(start).toMatchObject({ page: { about: 1 }, cursors: { previous: null } })
  expect(start.items).toHaveLength(3)
  for (const minute of [30, 31, 32]) await lapidary.comments.delete(`c${minute}`)
})

test('a function that judges items is not known to a cursor, so its pages have no number', async () => {
  const judged = await list({ limit: 2, having: ({ id }) => id !== 'c18' })
  const plain = await list({ limit: 2, cursor: cursorOf(judged.cursors.next) })
  expect(plain.page.about).toBeNull()
  const first = await list({ limit: 2 })
  const after = await list({ limit: 2, cursor: cursorOf(first.cursors.next), having: () => true })
  expect(after.page.about).toBeNull()
})

test('a page read twice has the same cursors', async () => {
  expect((await list({ limit: 4 })).cursors).toEqual((await list({ limit: 4 })).cursors)
})
