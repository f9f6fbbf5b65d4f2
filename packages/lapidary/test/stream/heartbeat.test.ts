import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { checkpointKey } from '../../src/stream/checkpoint.ts'
import { catchUp, isSilent } from '../../src/stream/heartbeat.ts'
import type { Poller } from '../../src/stream/poller.ts'
import { memoryItems } from '../memory-items/memory-items.ts'
import { type StubShard, stubStreams } from './stub-streams.ts'
import { openTestTable, type TestTable } from './test-table.ts'

const BEGAN = 1_800_000_000_000
const HOUR_MS = 3_600_000

interface Seen {
  readonly sequenceNumber?: string
  readonly finished?: boolean
  readonly leasedUntil?: number
}

/** What the poller says of its shards, and what their checkpoints hold; after so many looks the next of them. */
interface Moment {
  readonly lags?: Readonly<Record<string, number | null>>
  readonly backlogReads?: number
  readonly checkpoints?: Readonly<Record<string, Seen>>
}

async function putCheckpoint({ client, tableName }: TestTable, shardId: string, seen: Seen): Promise<void> {
  const { sequenceNumber = '1000', finished = false, leasedUntil = 0 } = seen
  const held = {
    ...{ owner: { S: 'another' }, leasedUntil: { N: String(leasedUntil) }, sequenceNumber: { S: sequenceNumber } },
  }
  const Item = { ...keyEntry(checkpointKey(shardId)), ...held, finished: { BOOL: finished } }
  await client.send(new PutItemCommand({ TableName: tableName, Item }))
}

/** Goes through the moments, one a look, a second each, and stays in the last; tells in which it caught up. */
async function caughtUpIn(
  setting: TestTable,
  shards: StubShard[],
  moments: readonly Moment[],
  signal?: AbortSignal,
): Promise<number> {
  let look = 0
  const enter = async (): Promise<void> => {
    const { checkpoints = {} } = moments[look] ?? {}
    for (const [shardId, seen] of Object.entries(checkpoints)) await putCheckpoint(setting, shardId, seen)
  }
  await enter()
  const status = (): ReturnType<Poller['status']> => {
    const { lags = {}, backlogReads = 0 } = moments[Math.min(look, moments.length - 1)] ?? {}
    const followed = Object.entries(lags).map(([shardId, lagMs]) => ({ shardId, lagMs }))
    return { lagMs: null, shards: followed, others: [], caughtUpAt: undefined, backlogReads }
  }
  await catchUp({
    table: {
      ...setting.table,
      async sleep() {
        look += 1
        await enter()
      },
    },
    streams: stubStreams(shards),
    poller: { status } as Poller,
    clock: () => BEGAN + look * 1_000,
    now: () => look * 1_000,
    signal,
  })
  return look
}

const one: StubShard[] = [{ shardId: 's', records: [] }]
const split: StubShard[] = [
  { shardId: 'parent', records: [], closed: true },
  { shardId: 'child', parent: 'parent', records: [] },
]

test('has caught up once the poller has been behind nowhere for two seconds', async () => {
  await using setting = await openTestTable()
  const moments = [{}, { lags: { s: null } }, { lags: { s: 40 } }, { lags: { s: 0 } }]
  expect(await caughtUpIn(setting, one, moments)).toBe(5)
  // Where one write comes after the other, it is counted on and on.
  const writing = Array.from({ length: 9 }, (_, i) => ({
    ...{ lags: { s: 0 }, checkpoints: { s: { sequenceNumber: `${1_000 + i}` } } },
  }))
  expect(await caughtUpIn(setting, one, writing)).toBe(2)
  expect(await caughtUpIn(setting, one, [{ lags: { s: 0 } }, { lags: { s: 40 } }, { lags: { s: 0 } }])).toBe(4)
})

test('a shard that another process has the lease of is counted there, and one that is counted to its end is done', async () => {
  await using setting = await openTestTable()
  const leased = { checkpoints: { s: { leasedUntil: BEGAN + 60_000 } } }
  const over = { checkpoints: { s: { leasedUntil: BEGAN } } }
  expect(await caughtUpIn(setting, one, [over, over, leased])).toBe(2)
  expect(await caughtUpIn(setting, one, [over, { checkpoints: { s: { finished: true } } }])).toBe(1)
})

test('a shard that others follow has to be counted to its end, whatever the poller says of it', async () => {
  await using setting = await openTestTable()
  const lags = { parent: 0, child: 0 }
  const leased = { lags, checkpoints: { parent: { leasedUntil: BEGAN + 60_000 } } }
  expect(await caughtUpIn(setting, split, [leased, { lags, checkpoints: { parent: { finished: true } } }])).toBe(2)
})

test('notes when it began, for each follower apart, and until a week is over', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName: TableName } = setting
  await caughtUpIn(setting, one, [{}, { lags: { s: 0 } }])
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: keyEntry({ PK: '~HEARTBEAT', SK: '~' }), ConsistentRead: true }),
  )
  expect(Item?.caughtUpAt?.N).toBe(String(BEGAN))
  expect(Item?.ttl?.N).toBe(String(BEGAN / 1_000 + 7 * 86_400))
  expect(await isSilent(table, BEGAN + 18 * HOUR_MS)).toBe(false)
  expect(await isSilent(table, BEGAN + 18 * HOUR_MS + 1)).toBe(true)
  // A store that never had heartbeats does not lack them.
  expect(await isSilent({ ...table, follower: 'files' }, BEGAN + 99 * HOUR_MS)).toBe(false)
})

test('looks once a second, at what is not finished, at all of it at once', async () => {
  const items = memoryItems({ description: { LatestStreamArn: 'arn' } })
  const shards: StubShard[] = Array.from({ length: 500 }, (_, i) => ({
    ...{ shardId: `s${i}`, records: [], closed: true, parent: `s${i - 1}` },
  }))
  for (const { shardId } of shards) items.put({ ...keyEntry(checkpointKey(shardId)), finished: { BOOL: true } })
  shards.push({ shardId: 'open', parent: 's499', records: [] })
  let seconds = 0
  const status = () => ({
    lagMs: 0,
    caughtUpAt: 0,
    backlogReads: seconds,
    shards: [{ shardId: 'open', lagMs: seconds < 25 ? 7 : 0 }],
  })
  const sleep = async (milliseconds: number) => {
    seconds += milliseconds / 1_000
  }
  const poller = { status } as unknown as Poller
  await catchUp({
    table: { ...items, sleep },
    streams: stubStreams(shards),
    poller,
    clock: Date.now,
    now: () => seconds * 1_000,
  })
  expect(seconds).toBe(27)
  const reads = items.sent.filter(({ name }) => name === 'BatchGetItem')
  // All of them at the first look, a hundred a request; one at each of the others.
  expect(reads).toHaveLength(6 + 27)
})

test('is stopped also while the stream does not answer', async () => {
  const table = memoryItems({ description: { LatestStreamArn: 'arn' } })
  const streams = { send: () => new Promise(() => undefined) } as unknown as ReturnType<typeof stubStreams>
  const status = (): ReturnType<Poller['status']> => ({
    lagMs: 0,
    caughtUpAt: 0,
    backlogReads: 0,
    shards: [],
    others: [],
  })
  const signal = AbortSignal.timeout(30)
  const waiting = catchUp({ table, streams, poller: { status } as Poller, clock: Date.now, now: Date.now, signal })
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
})

test('gives up when nothing moves for a minute, and notes nothing then', async () => {
  await using setting = await openTestTable()
  await expect(caughtUpIn(setting, one, [{ lags: { s: 7 } }])).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('nothing of s was counted for a minute; run it again'),
  })
  expect(await isSilent(setting.table, BEGAN + 99 * HOUR_MS)).toBe(false)
})

test('goes on as long as checkpoints move or a backlog is read, and stops when it is told to', async () => {
  await using setting = await openTestTable()
  const moving = Array.from({ length: 150 }, (_, i) => ({ checkpoints: { s: { sequenceNumber: `${1_000 + i}` } } }))
  expect(await caughtUpIn(setting, one, [...moving, { lags: { s: 0 } }])).toBe(152)
  const reading = Array.from({ length: 150 }, (_, backlogReads) => ({ backlogReads }))
  expect(await caughtUpIn(setting, one, [...reading, { lags: { s: 0 } }])).toBe(152)
  await expect(caughtUpIn(setting, one, [{}], AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
})

test('gives up where no process gets on with a shard, however often leases are renewed', async () => {
  await using setting = await openTestTable()
  let seconds = 0
  const renew = () => putCheckpoint(setting, 's', { leasedUntil: BEGAN + seconds * 1_000 + 10_000 })
  await renew()
  const table = {
    ...setting.table,
    async sleep() {
      seconds += 1
      if (seconds % 5 === 0) await renew()
    },
  }
  const waiting = catchUp({
    ...{ table, clock: () => BEGAN + seconds * 1_000, now: () => seconds * 1_000 },
    streams: stubStreams(['s', 't'].map((shardId) => ({ shardId, records: [] }))),
    poller: {
      status: () => ({ lagMs: null, caughtUpAt: seconds, backlogReads: 0, shards: [], others: [] }),
    } as unknown as Poller,
  })
  await expect(waiting).rejects.toThrow('nothing of t was counted for a minute')
})
