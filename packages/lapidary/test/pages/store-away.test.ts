import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Redis } from 'ioredis'
import { createLapidary, type LambdaStreamRecord, type Lapidary, type PageStore, segments } from 'lapidary'
import { redisLists } from 'lapidary-pages'
import { createOracle, intercepted, type Oracle } from 'lapidary-testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createTestClient,
  createTestStreams,
  dropTables,
  testEngines,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { startRedis, type TestRedis } from '../../../../test/engines/redis.ts'
import { changeOf } from '../../src/derived/change.ts'
import { readCheckpoint } from '../../src/stream/checkpoint.ts'
import { listShards, streamArn } from '../../src/stream/shards.ts'
import { type Comment, comment, comments } from '../comments-fixture.ts'

const [engine] = testEngines()
const PACE = { idleMs: 20, gatherMs: 30, discoverMs: 200 } as const

type Comments = Lapidary<{ readonly comments: typeof comments }>

let server: TestRedis
let redis: Redis
let client: DynamoDBClient
let lapidary: Comments
let oracle: Oracle<Comment>
let tableName: string

function open(pages: PageStore): Comments {
  return createLapidary({
    ...{ client, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
    ...{ derived: { counts: true, pages }, stream: { immediate: true } },
  })
}

beforeEach(async () => {
  if (engine === undefined) throw new Error('no engine')
  server = await startRedis('redis', ['--appendonly', 'yes', '--appendfsync', 'always'])
  redis = new Redis(server.url, { maxRetriesPerRequest: 0, commandTimeout: 5_000, retryStrategy: () => 50 })
  redis.on('error', () => undefined)
  client = createTestClient(engine)
  tableName = uniqueTableName()
  lapidary = open(redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args) }))
  await lapidary.table.create()
  oracle = createOracle(comments)
})

afterEach(async () => {
  redis.disconnect()
  await server[Symbol.asyncDispose]()
  await dropTables(client, [tableName])
})

let written = 0
async function write(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const rating = ((written % 5) + 1) as Comment['rating']
    oracle.put(await lapidary.comments.create(comment({ id: `c${written++}`, rating })))
  }
}

async function changeSome(): Promise<void> {
  for (const [i, { id }] of oracle.matching({ scope: '42' }).entries()) {
    if (i % 4 === 0) {
      await lapidary.comments.delete(id)
      oracle.delete(id)
    } else if (i % 3 === 0) oracle.put(await lapidary.comments.patch(id, { rating: 5 }))
  }
}

async function counted(): Promise<void> {
  await vi.waitFor(async () => {
    const { total, facets } = await lapidary.comments.count({ scope: '42' })
    expect([total, facets?.rating?.['5']]).toEqual([
      oracle.matching({ scope: '42' }).length,
      oracle.matching({ scope: '42', where: { rating: 5 } }).length,
    ])
  }, PATIENCE)
}

async function indexed(): Promise<void> {
  for (const where of [{}, { rating: 5 }, { rating: [1, 2] }] as const) {
    const expected = oracle.matching({ scope: '42', where })
    await vi.waitFor(async () => {
      const { items, page } = await lapidary.comments.page(2, { scope: '42', where, limit: 7 })
      expect(page.total).toBe(expected.length)
      expect(items).toEqual(expected.slice(7, 14))
    }, PATIENCE)
  }
}

describe('a Redis that is away', () => {
  test('holds up no count; the page index catches up by itself, and says that it is behind', async () => {
    await using poller = await lapidary.stream.start(PACE)
    await write(40)
    await counted()
    await indexed()

    await server.kill()
    const goneAt = Date.now()
    await write(30)
    await changeSome()
    await counted()
    await vi.waitFor(() => expect(poller.status().apart?.lagMs).toBeGreaterThan(0), PATIENCE)
    // One that is held up falls ever further behind.
    await vi.waitFor(() => expect(poller.status().lagMs).toBeLessThan(5_000), PATIENCE)
    await expect(lapidary.comments.page(9, { scope: '42' })).rejects.toMatchObject({ code: 'unavailable' })
    expect((await lapidary.comments.page(1, { scope: '42', limit: 5 })).items).toHaveLength(5)
    expect((await lapidary.stream.report()).apart?.pending).toBeGreaterThan(0)
    expect(poller.status().apart?.caughtUpAt ?? 0).toBeLessThan(goneAt + 1_000)

    await server.restart()
    await indexed()
    await vi.waitFor(async () => {
      const { asOf } = await lapidary.comments.page(3, { scope: '42', limit: 7 })
      expect(Date.parse(asOf ?? '')).toBeGreaterThan(goneAt)
    }, PATIENCE)
    expect((await lapidary.stream.report()).apart?.pending).toBe(0)
    await lapidary.comments.context.pages[0]?.lists.validate('42')
  })

  test('lacks nothing that it is only behind with, whenever in a verify that was written and counted', async () => {
    {
      await using _poller = await lapidary.stream.start(PACE)
      await write(10)
      await counted()
      await indexed()
    }
    const base = { tableName, collections: { comments }, cursorSecret: 'a secret of the tests' }
    // Without a page index it counts, and does not follow for Redis.
    const counting = createLapidary({ ...base, client, derived: { counts: true }, stream: { immediate: true } })
    await using _poller = await counting.stream.start(PACE)
    let looks = 0
    const watched = intercepted<DynamoDBClient>(client, async (command, send) => {
      if (command instanceof DescribeTableCommand && looks++ < 4) {
        await write(1)
        await counted()
      }
      return send(command)
    })
    const pages = redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args) })
    const stream = { client: createTestStreams(engine as never), immediate: true }
    const verifying = createLapidary({ ...base, client: watched, derived: { counts: true, pages }, stream })
    expect((await verifying.derived.verify({ idleMs: 15 })).differences).toEqual([])
    expect(looks).toBeGreaterThan(1)
  })

  test('is caught up by the next process too', async () => {
    {
      await using _poller = await lapidary.stream.start(PACE)
      await write(20)
      await indexed()
      await server.kill()
      await write(20)
      await changeSome()
      await counted()
    }
    await server.restart()
    await using _next = await lapidary.stream.start(PACE)
    await indexed()
  })

  test('leaves no mark of a shard for ever', async () => {
    await using _poller = await lapidary.stream.start(PACE)
    await write(8)
    await indexed()
    const marks = await redis.keys('*mark:*')
    expect(marks.length).toBeGreaterThan(0)
    for (const mark of marks) expect(await redis.ttl(mark)).toBeGreaterThan(86_400)
  })

  test('in Lambda: the batch is counted and delivered again; a handler for each part keeps them apart', async () => {
    await write(12)
    const { records, shardId } = await recordsOf(lapidary)
    const event = { Records: records, shardId }
    await server.kill()
    const both = lapidary.stream.handler()
    const { batchItemFailures } = await both(event)
    expect(batchItemFailures).toHaveLength(1)
    await counted()
    const ofTable = lapidary.stream.handler({ only: 'table' })
    expect((await ofTable(event)).batchItemFailures).toEqual([])
    const apart = lapidary.stream.handler({ only: 'apart' })
    expect((await apart(event)).batchItemFailures).toEqual(batchItemFailures)
    await server.restart()
    await vi.waitFor(async () => expect((await apart(event)).batchItemFailures).toEqual([]), PATIENCE)
    await indexed()
    expect((await both(event)).batchItemFailures).toEqual([])
    await counted()
  })
})

test('the marks of the table expire, since what comes after a week is in no stream any more', async () => {
  const own = open(segments())
  await own.comments.context.pages[0]?.lists.create()
  await using _poller = await own.stream.start(PACE)
  await write(4)
  const { table } = own.comments.context
  const { ScanCommand } = await import('@aws-sdk/client-dynamodb')
  await vi.waitFor(async () => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: table.tableName }))
    const marks = Items.filter(({ PK, SK }) => PK?.S?.startsWith('~pages#') && SK?.S?.startsWith('#'))
    expect(marks.length).toBeGreaterThan(0)
    for (const { ttl } of marks) expect(Number(ttl?.N)).toBeGreaterThan(Date.now() / 1000 + 86_400)
  }, PATIENCE)
})

/** Everything that the stream has, as Lambda would give it. */
async function recordsOf({ comments: { context } }: Comments): Promise<{
  readonly records: readonly LambdaStreamRecord[]
  readonly shardId: string
}> {
  const { streamsOf } = await import('../../src/database/database.ts')
  const { GetRecordsCommand, GetShardIteratorCommand } = await import('@aws-sdk/client-dynamodb-streams')
  const streams = await streamsOf({ client, table: context.table, renaming: undefined, stream: { immediate: true } })
  const arn = await streamArn(context.table)
  for (const { shardId } of await listShards(streams, arn)) {
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn: arn, ShardId: shardId, ShardIteratorType: 'TRIM_HORIZON' }),
    )
    const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }))
    const ofItems = Records.filter((record) => changeOf(record)?.key.SK === '~')
    expect((await readCheckpoint(context.table, shardId)).sequenceNumber).toBeUndefined()
    if (ofItems.length > 0) return { records: ofItems as unknown as readonly LambdaStreamRecord[], shardId }
  }
  throw new Error('the stream has no records')
}

test('a table that is made anew under its name does not begin with the lists of the one before', async () => {
  {
    await using _poller = await lapidary.stream.start(PACE)
    await write(20)
    await indexed()
  }
  await dropTables(client, [tableName])
  const again = open(redisLists({ send: ([name = '', ...args]) => redis.call(name, ...args) }))
  await again.table.create()
  expect((await again.comments.page(2, { scope: '42', limit: 7 })).page.total).toBe(0)
})
