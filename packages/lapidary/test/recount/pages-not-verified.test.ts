import { DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, type Lapidary, type PageStore, pageMarkers, segments } from 'lapidary'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { comment, comments } from '../comments-fixture.ts'

const PACE = { idleMs: 20, gatherMs: 30, discoverMs: 200 } as const
const FAST = { idleMs: 20, segments: 1 } as const

let client: DynamoDBClient
let tableName: string
beforeEach(() => {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  client = createTestClient(engine)
  tableName = uniqueTableName()
})
afterEach(() => dropTables(client, [tableName]))

const open = (pages: PageStore): Lapidary<{ readonly comments: typeof comments }> =>
  createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, pages }, stream: { immediate: true } },
  })

/** A store of a user's own, which can't be looked into. */
const closedStore: PageStore = {
  name: 'mine',
  open(context) {
    const { inspect, ...lists } = segments().open(context)
    return { ...lists, name: 'mine' }
  },
}

test('says of a store without inspect that its page index was not verified', async () => {
  const { table, derived } = open(closedStore)
  await table.create()
  const notVerified = [{ collection: 'COMMENT', store: 'mine', reason: 'no_inspect' }]
  expect(await derived.verify(FAST)).toMatchObject({ differences: [], notVerified })
  expect(await derived.repair(FAST)).toMatchObject({ differences: [], notVerified })
})

test('says so of one that is not built, and of a sample', async () => {
  const { table, derived } = open(segments())
  await table.create({ pages: 'later' })
  const notVerified = [{ collection: 'COMMENT', store: 'dynamodb', reason: 'absent' }]
  expect(await derived.verify(FAST)).toMatchObject({ notVerified })
  await derived.rebuildPages(FAST)
  expect(await derived.verify(FAST)).toMatchObject({ notVerified: [] })
  expect(await derived.verify({ ...FAST, sample: 1 })).toMatchObject({ notVerified: [{ reason: 'sample' }] })
})

test('tells what page markers that refuse disorder lack, and leaves it to a rebuild', async () => {
  const lapidary = open(pageMarkers({ onDisorder: 'refuse', every: 10 }))
  await lapidary.table.create()
  await using _poller = await lapidary.stream.start(PACE)
  const times = Array.from({ length: 25 }, (_, i) => new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString())
  for (const [i, createdAt] of times.entries()) await lapidary.comments.create(comment({ id: `c${i}`, createdAt }))
  const total = async (): Promise<number | null | undefined> =>
    (await lapidary.comments.page(2, { scope: '42', limit: 10 })).page.total
  await vi.waitFor(async () => expect(await total()).toBe(25), PATIENCE)
  const [pages] = lapidary.comments.context.pages
  const gone = { group: '42', cell: 'xx#1', place: { score: Date.UTC(2027, 0, 1), member: 'gone' } }
  await pages?.lists.apply('spoiler', [{ sequenceNumber: '1', steps: [{ op: 'add', ...gone }] }])
  expect((await lapidary.derived.verify(FAST)).differences).toMatchObject([
    { projection: 'pages', kind: 'dangling', actual: 'xx#1' },
  ])
  await expect(lapidary.derived.repair(FAST)).rejects.toMatchObject({
    code: 'unprocessable',
    message: expect.stringMatching(/can't be mended entry by entry, so run lapidary rebuild page-index: .*newer/),
  })
  await lapidary.derived.rebuildPages(FAST)
  expect(await lapidary.derived.verify(FAST)).toMatchObject({ differences: [], notVerified: [] })
})

test('says of page markers that lack a block that a rebuild is needed', async () => {
  const lapidary = open(pageMarkers({ every: 10 }))
  await lapidary.table.create()
  const lists = lapidary.comments.context.pages[0]?.lists
  const entry = (i: number) => ({ group: '42', cell: 'en#5', place: { score: i, member: `c${i}` } })
  const steps = Array.from({ length: 25 }, (_, i) => ({ op: 'add', ...entry(i) }) as const)
  await lists?.apply('spoiler', [{ sequenceNumber: '1', steps }])
  await client.send(
    new DeleteItemCommand({
      TableName: tableName,
      Key: {
        PK: { S: `~pages#markers:${lapidary.comments.context.pages[0]?.namespace}#1#42` },
        SK: { S: 'B#0000000001' },
      },
    }),
  )
  const inspection = await lists?.inspect?.()
  expect(await inspection?.cellAt('42', entry(5).place)).toBe('en#5')
  expect(await inspection?.cellAt('42', entry(15).place)).toBe(undefined)
  expect(await inspection?.cellAt('42', entry(24).place)).toBe('en#5')
  await expect(
    lists?.apply('spoiler', [{ sequenceNumber: '2', steps: [{ op: 'add', ...entry(15) }] }]),
  ).rejects.toMatchObject({ code: 'page_index_damaged', message: expect.stringContaining('rebuild page-index') })
})
