import { segments } from 'lapidary'
import { lateIndexes } from 'lapidary-testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../../../test/engines/index.ts'
import { createLapidary } from '../src/index.ts'
import { comment, comments } from './comments-fixture.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no engine')
const client = createSdkClient(engine)
const tableName = uniqueTableName()
const late = lateIndexes(client)
const opened = (through: typeof client, table: string) =>
  createLapidary({
    ...{ client: through, tableName: table, collections: { comments }, cursorSecret: 'a secret of the tests' },
    derived: { counts: true, pages: segments(), columns: true },
    stream: { immediate: true },
  })
const lapidary = opened(late.client, tableName)
const at = (second: number): string => new Date(Date.UTC(2024, 0, 1) + second * 1_000).toISOString()
const itemOf = (i: number) => comment({ id: String(1000 + i), createdAt: at(i), version: undefined as never })
const NEW = { ...itemOf(35), id: 'new' }
const query = { scope: '42', limit: 10, counts: false }

beforeAll(async () => {
  await lapidary.table.create()
  for (let i = 0; i < 40; i++) await lapidary.comments.create(itemOf(i))
  await opened(client, tableName).stream.catchUp()
  late.hold()
  await lapidary.comments.create(NEW)
  await lapidary.comments.delete('1034')
})
afterAll(async () => {
  await late.close()
  await dropTables(client, [tableName])
})

test('what was written takes one unit for each item, and no round', async () => {
  const plain = await lapidary.comments.list(query)
  const page = await lapidary.comments.list({ ...query, written: ['new', '1034'] })
  expect(page.items.map(({ id }) => id)).toEqual([
    ...['1039', '1038', '1037', '1036'],
    // Ties go by their ids.
    ...['new', '1035', '1033', '1032', '1031', '1030'],
  ])
  expect(page.plan.actual).toMatchObject({ rounds: 1, itemsReturned: 9 })
  expect((page.plan.actual?.rcu ?? 0) - (plain.plan.actual?.rcu ?? 0)).toBe(2)
  const [node] = page.plan.tree.inputs.filter(({ kind }) => kind === 'written')
  expect(node).toMatchObject({ text: 'GET 2 WRITTEN', estimated: { rcu: 2 }, actual: { rcu: 2, requests: 1 } })
})

test.each([
  ['by its number, read from the beginning', 2],
  ['by its number, looked up', 3],
])('a page %s shows what was written', async (_, number) => {
  const from = (number - 1) * 10
  const ids = Array.from({ length: 40 }, (_, i) => String(1039 - i)).filter((id) => id !== '1034')
  ids.splice(4, 0, 'new')
  // A page that is looked up begins where the index says, which has not heard of either yet.
  const page = await lapidary.comments.page(number, { ...query, written: ['new', '1034'] })
  expect(page.items.map(({ id }) => id)).toEqual(ids.slice(from, from + 10))
})

test('a page by columns shows what was written', async () => {
  const where = { NOT: { language: 'de' }, OR: [{ rating: 5 }, { language: 'en' }] } as const
  const page = await lapidary.comments.list({ ...query, where, written: ['new', '1034'] })
  expect(page.items.map(({ id }) => id).slice(3, 7)).toEqual(['1036', 'new', '1035', '1033'])
})

test('an item that does not answer the query is not shown', async () => {
  const page = await lapidary.comments.list({ ...query, where: { rating: [1] }, written: ['new', 'none at all', ''] })
  expect(page.items).toEqual([])
})

test.each([
  ['new', 'must be a list of at most 10 ids, each a text, not "new"'],
  [[1], 'must be a list of at most 10 ids, each a text, not 1'],
  [Array.from({ length: 11 }, (_, i) => `${i}`), 'must be a list of at most 10 ids, each a text, not 11'],
])('%j is refused', async (written, message) => {
  await expect(lapidary.comments.list({ ...query, written } as never)).rejects.toMatchObject({
    code: 'unprocessable',
    details: { errors: [{ path: 'written', message }] },
  })
})
