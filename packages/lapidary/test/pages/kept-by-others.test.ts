import { createLapidary, type PageStore, pageMarkers, segments } from 'lapidary'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { comment, comments } from '../comments-fixture.ts'

describe.each([segments(), pageMarkers()])('a page index in the table: $name', (store) => {
  const client = createTestClient(testEngines()[0] as never)
  const tableName = uniqueTableName()
  const options = { client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' }
  const keeping = () => createLapidary({ ...options, derived: { counts: true, pages: store } })
  const POLLING = { idleMs: 20, gatherMs: 20 }
  const QUERY = { scope: '42', limit: 2 } as const

  beforeAll(async () => {
    await keeping().table.create()
  })
  afterAll(() => dropTables(client, [tableName]))

  test('is kept by a process that follows the stream and does not declare it', async () => {
    const lapidary = keeping()
    {
      await using _poller = await lapidary.stream.start(POLLING)
      for (const id of ['1', '2', '3']) await lapidary.comments.create(comment({ id, version: undefined as never }))
      await vi.waitFor(async () => expect((await lapidary.comments.page(2, QUERY)).page.total).toBe(3), PATIENCE)
    }
    const other = createLapidary({ ...options, derived: { counts: true } })
    await using _poller = await other.stream.start(POLLING)
    await other.comments.create(comment({ id: '4', version: undefined as never }))
    await vi.waitFor(async () => {
      const { items, page } = await keeping().comments.page(200, { ...QUERY, limit: 1 })
      expect([items, page.total]).toEqual([[], 4])
    }, PATIENCE)
    expect((await keeping().comments.page(2, QUERY)).items.map(({ id }) => id)).toEqual(['2', '1'])
    expect(await keeping().derived.verify({ idleMs: 20 })).toMatchObject({ differenceCount: 0, notVerified: [] })
  })

  test('stays where a process only reads', async () => {
    await createLapidary({ ...options, derived: { counts: true } }).comments.list(QUERY)
    expect((await keeping().comments.page(2, QUERY)).page.total).toBe(4)
  })
})

test('a page index in a store that another process can not open is left behind by that process, and made again once it has ended', async () => {
  const client = createTestClient(testEngines()[0] as never)
  const tableName = uniqueTableName()
  const options = { client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' }
  const inTable = segments()
  const own: PageStore = { ...inTable, name: 'own', open: (context) => inTable.open(context) }
  const keeping = createLapidary({ ...options, derived: { counts: true, pages: own } })
  const query = { scope: '42', limit: 2 } as const
  try {
    await keeping.table.create()
    const other = createLapidary({ ...options, derived: { counts: true } })
    const poller = await other.stream.start({ idleMs: 20, gatherMs: 20 })
    for (const id of ['1', '2', '3']) await other.comments.create(comment({ id, version: undefined as never }))
    await vi.waitFor(async () => {
      await expect(keeping.comments.page(2_000, query)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('left behind by a process that could not keep it'),
      })
    }, PATIENCE)
    await poller.close()
    await using _again = await keeping.stream.start({ idleMs: 20, gatherMs: 20 })
    await vi.waitFor(async () => {
      expect((await keeping.comments.page(2_000, query)).page.total).toBe(3)
    }, PATIENCE)
  } finally {
    await dropTables(client, [tableName])
  }
})
