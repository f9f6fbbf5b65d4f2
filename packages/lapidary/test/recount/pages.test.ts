import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteItemCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import type { S3Client } from '@aws-sdk/client-s3'
import { PGlite } from '@electric-sql/pglite'
import { Redis } from 'ioredis'
import { createLapidary, type Difference, type Lapidary, type PageStore, pageMarkers, segments } from 'lapidary'
import { redisLists, relationalLists } from 'lapidary-pages'
import { fileLists } from 'lapidary-pages/file'
import { s3Lists } from 'lapidary-pages/s3'
import { createOracle, type Oracle } from 'lapidary-testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { startRedis, type TestRedis } from '../../../../test/engines/redis.ts'
import { s3Client, startS3, type TestS3 } from '../../../../test/engines/s3.ts'
import { type Comment, comment, comments } from '../comments-fixture.ts'

const [engine] = testEngines()
const PACE = { idleMs: 20, gatherMs: 30, discoverMs: 200 } as const
const ITEMS = 150
const FAST = { idleMs: 20, segments: 1 } as const

type Comments = Lapidary<{ readonly comments: typeof comments }>

let server: TestRedis
let redis: Redis
let objects: TestS3
let s3: S3Client
let postgres: PGlite
let folder: string
beforeAll(async () => {
  server = await startRedis('redis')
  redis = new Redis(server.url)
  objects = await startS3()
  s3 = await s3Client(objects, 'lists')
  postgres = await PGlite.create()
  folder = await mkdtemp(join(tmpdir(), 'lapidary-test-'))
})
afterAll(async () => {
  redis.disconnect()
  s3.destroy()
  await postgres.close()
  await Promise.all([server, objects].map((each) => each[Symbol.asyncDispose]()))
  await rm(folder, { recursive: true })
})

const STORES: Readonly<Record<string, (name: string) => PageStore>> = {
  segments,
  redis: (prefix) => redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args), prefix }),
  files: (name) => fileLists({ folder: join(folder, name) }),
  S3: (name) => s3Lists({ client: s3, bucket: 'lists', prefix: `${name}/` }),
  PostgreSQL: () => relationalLists({ query: (statement, values) => postgres.query(statement, [...values]) }),
  markers: () => pageMarkers(),
}

describe.each(Object.entries(STORES))('verify and repair of a page index in %s', (kind, store) => {
  let client: DynamoDBClient
  let lapidary: Comments
  let oracle: Oracle<Comment>
  let tableName: string
  let written = 0

  beforeEach(async () => {
    if (engine === undefined) throw new Error('no engine')
    client = createTestClient(engine)
    tableName = uniqueTableName()
    lapidary = open()
    await lapidary.table.create()
    oracle = createOracle(comments)
    written = 0
  })
  afterEach(() => dropTables(client, [tableName]))

  const open = (): Comments =>
    createLapidary({
      ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      ...{ derived: { counts: true, pages: store(tableName) }, stream: { immediate: true } },
    })

  async function write(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const id = `${written % 10 === 3 ? 'long-'.repeat(20) : 'c'}${written}`
      const rating = ((written++ % 5) + 1) as Comment['rating']
      oracle.put(await lapidary.comments.create(comment({ id, rating, productId: i % 3 === 0 ? '7' : '42' })))
    }
  }

  async function change(): Promise<void> {
    for (const [i, { id }] of oracle.matching({ scope: '42' }).entries()) {
      if (i % 5 === 0) {
        await lapidary.comments.delete(id)
        oracle.delete(id)
      } else if (i % 3 === 0) oracle.put(await lapidary.comments.patch(id, { rating: ((i % 5) + 1) as never }))
    }
  }

  const lists = () => {
    const found = lapidary.comments.context.pages[0]?.lists
    if (found === undefined) throw new Error('no page index')
    return found
  }
  const entryOf = (item: Comment) => {
    const { pages, codec, collection } = lapidary.comments.context
    const [entry] = (pages[0] ?? expect.fail('no page index')).entriesOf({
      ...codec.toEntry(item),
      PK: { S: `${collection.name}#${item.id}` },
      SK: { S: '~' },
    })
    if (entry === undefined) throw new Error('no entry')
    return entry
  }

  async function spoil(): Promise<void> {
    const [missing, wrong, doubled] = oracle.matching({ scope: '42' }).map(entryOf)
    if (missing === undefined || wrong === undefined || doubled === undefined) throw new Error('no items')
    const dangling = { ...missing, group: 'gone', place: { ...missing.place, member: 'never' } }
    await lists().apply('spoiler', [
      {
        sequenceNumber: '1',
        steps: [
          { op: 'remove', ...missing },
          { op: 'remove', ...wrong },
          { op: 'add', ...wrong, cell: 'xx#1' },
          // Where a list knows nothing of others, the entry is in two of them now.
          { op: 'add', ...doubled, cell: 'xx#2' },
          { op: 'add', ...dangling },
        ],
      },
    ])
  }

  async function indexed(): Promise<void> {
    for (const scope of ['42', '7']) {
      const expected = oracle.matching({ scope })
      await vi.waitFor(async () => {
        const { items, page } = await lapidary.comments.page(3, { scope, limit: 5 })
        expect(page.total).toBe(expected.length)
        expect(items).toEqual(expected.slice(10, 15))
      }, PATIENCE)
    }
  }

  const kinds = (differences: readonly Difference[]): readonly string[] =>
    differences
      .map(({ projection, kind: each, expected, actual }) => `${projection} ${each} ${expected} ${actual}`)
      .sort()

  test('tells what is missing, dangling and in a wrong list, while items change, and mends it', async () => {
    await using _poller = await lapidary.stream.start(PACE)
    await write(ITEMS)
    await indexed()
    expect((await lapidary.derived.verify(FAST)).differences).toEqual([])
    const spoilt = oracle.matching({ scope: '42' }).slice(0, 3)
    const [first, second, third] = spoilt.map((item) => entryOf(item).cell)
    await spoil()
    const found = await lapidary.derived.verify(FAST)
    expect(kinds(found.differences)).toEqual([
      `pages dangling null ${first}`,
      `pages missing ${first} null`,
      `pages wrong ${second} xx#1`,
      `pages wrong ${third} xx#2`,
    ])
    expect(found.notVerified).toEqual([])
    const changing = write(40)
    const { mended } = await lapidary.derived.repair(FAST)
    expect(mended).toBe(4)
    await changing
    await change()
    expect((await lapidary.derived.verify(FAST)).differences).toEqual([])
    await indexed()
  })

  test('takes what is not counted yet for no difference, nor what changes meanwhile', async () => {
    {
      await using _poller = await lapidary.stream.start(PACE)
      await write(30)
      await indexed()
    }
    await write(20)
    await change()
    expect((await lapidary.derived.verify(FAST)).differences).toEqual([])
    await using _poller = await lapidary.stream.start(PACE)
    let isOver = false
    const changing = (async () => {
      while (!isOver) {
        await write(10)
        await change()
      }
    })()
    for (let i = 0; i < 3; i++) expect((await lapidary.derived.verify(FAST)).differences).toEqual([])
    isOver = true
    await changing
    await indexed()
  })

  if (kind === 'files') {
    test('is verified beside the process that writes the files, which alone can mend it', async () => {
      await using _poller = await lapidary.stream.start(PACE)
      await write(ITEMS)
      await indexed()
      await spoil()
      const other = open()
      expect((await other.derived.verify(FAST)).differenceCount).toBe(4)
      await expect(other.derived.repair({ ...FAST, poll: false })).rejects.toMatchObject({ code: 'page_index_locked' })
      expect(await lapidary.derived.repair(FAST)).toMatchObject({ mended: 4 })
      expect((await other.derived.verify(FAST)).differences).toEqual([])
    })
  }

  if (kind !== 'segments') return

  test('takes no tree for damaged whose keys are long, as those of a product with a long id', async () => {
    await using _poller = await lapidary.stream.start(PACE)
    const productId = 'ü'.repeat(128)
    const made = Array.from({ length: 60 }, (_, i) => comment({ id: `${'long-'.repeat(10)}${i}`, productId }))
    await Promise.all(made.map((each) => lapidary.comments.create(each)))
    const total = async () => (await lapidary.comments.page(99, { scope: productId })).page.total
    await vi.waitFor(async () => expect(await total()).toBe(60), PATIENCE)
    const steps = made.slice(0, 1).map((each) => ({ op: 'remove', ...entryOf(each) }) as const)
    await lists().apply('spoiler', [{ sequenceNumber: '1', steps }])
    expect(await lapidary.derived.repair(FAST)).toMatchObject({ mended: 1 })
  })

  test('says when the tree itself is damaged, which a rebuild mends', async () => {
    await using _poller = await lapidary.stream.start(PACE)
    await write(ITEMS)
    await indexed()
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: 'PK = :tree AND begins_with(SK, :leaf)',
        ExpressionAttributeValues: {
          ':tree': { S: `~pages#${lapidary.comments.context.pages[0]?.namespace}#1#42` },
          ':leaf': { S: 'L#' },
        },
      }),
    )
    const { PK, SK } = Items[0] ?? {}
    await client.send(
      new DeleteItemCommand({ TableName: tableName, Key: { PK: PK ?? { S: '' }, SK: SK ?? { S: '' } } }),
    )
    const { differences } = await lapidary.derived.verify(FAST)
    expect(differences.length).toBeGreaterThan(10)
    expect(new Set(differences.map(({ kind: each }) => each))).toEqual(new Set(['missing']))
    await expect(lapidary.derived.repair(FAST)).rejects.toMatchObject({
      code: 'page_index_damaged',
      message: expect.stringContaining('lapidary rebuild page-index'),
    })
    await lapidary.derived.rebuildPages(FAST)
    expect((await lapidary.derived.verify(FAST)).differences).toEqual([])
    await indexed()
  })
})
