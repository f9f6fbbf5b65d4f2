import { createLapidary, pageMarkers, segments } from 'lapidary'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
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

  test('is given up where a process follows the stream that does not keep it, and is right once it is built again', async () => {
    const lapidary = keeping()
    {
      await using _poller = await lapidary.stream.start(POLLING)
      for (const id of ['1', '2', '3']) await lapidary.comments.create(comment({ id, version: undefined as never }))
      await vi.waitFor(async () => expect((await lapidary.comments.page(2, QUERY)).page.total).toBe(3), PATIENCE)
    }
    const other = createLapidary({ ...options, derived: { counts: true } })
    const poller = await other.stream.start(POLLING)
    onTestFinished(() => poller.close())
    await other.comments.create(comment({ id: '4', version: undefined as never }))
    await vi.waitFor(async () => expect((await other.stream.report()).pending).toBe(0), PATIENCE)

    const notBuilt = { code: 'unavailable', message: expect.stringContaining('run lapidary rebuild page-index') }
    await expect(keeping().comments.page(200, QUERY)).rejects.toMatchObject(notBuilt)
    await poller.close()

    const again = keeping()
    await using _poller = await again.stream.start(POLLING)
    await expect(again.comments.page(200, QUERY)).rejects.toMatchObject(notBuilt)
    await again.derived.rebuildPages()
    const { items, page } = await keeping().comments.page(2, QUERY)
    expect(page.total).toBe(4)
    expect(items.map(({ id }) => id)).toEqual(['2', '1'])
  })

  test('stays where a process only reads', async () => {
    await createLapidary({ ...options, derived: { counts: true } }).comments.list(QUERY)
    expect((await keeping().comments.page(2, QUERY)).page.total).toBe(4)
  })
})
