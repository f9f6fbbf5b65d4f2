import {
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { _Record } from '@aws-sdk/client-dynamodb-streams'
import { intercepted } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import type { Change } from '../../src/derived/change.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import type { Lane } from '../../src/stream/batch.ts'
import { checkpointKey, readCheckpoint } from '../../src/stream/checkpoint.ts'
import type { Counted } from '../../src/stream/counting.ts'
import { type Poller, startPoller } from '../../src/stream/poller.ts'
import { createRunner, type Runner } from '../../src/stream/runner.ts'
import type { StreamsClient } from '../../src/stream/streams-client.ts'
import { countsPartition, withoutDigest } from '../derived-keys.ts'
import { countsOf, scan } from './recount.ts'
import { reviewEntry, reviewKey, reviewProjections, reviews } from './reviews.ts'
import { createdRecord, type StubShard, stubStreams } from './stub-streams.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'

const OWNER = 'this process'
const SHARDS = 16

/** A lane that takes in where its checkpoint is. */
interface Held extends Lane {
  sequenceNumber: string | undefined
}

interface Setting {
  readonly runner: Runner
  /** Items of each transaction, and whether it was refused. */
  readonly transactions: { readonly items: number; readonly refused: boolean }[]
  /** Counts a change of each lane, all at once; tells why a lane failed. */
  count(lanes: readonly Held[], changeOf: (i: number) => Change): Promise<readonly unknown[]>
}

function settingOf(
  { client, tableName }: TestTable,
  refuse: (command: TransactWriteItemsCommand) => boolean = () => false,
): Setting {
  const transactions: { items: number; refused: boolean }[] = []
  const watched = intercepted<DynamoDBClient>(client, async (command, send) => {
    if (!(command instanceof TransactWriteItemsCommand)) return send(command)
    const transaction = { items: command.input.TransactItems?.length ?? 0, refused: true }
    transactions.push(transaction)
    if (refuse(command)) throw Object.assign(new Error('no such value'), { name: 'ValidationException' })
    const output = await send(command)
    transaction.refused = false
    return output
  })
  const table = tableThrough(watched, tableName, () => 0)
  const runner = createRunner({ table, projections: reviewProjections() })
  return {
    runner,
    transactions,
    async count(lanes, changeOf) {
      const { counted } = await runner.countNext(lanes.map((lane, i) => runner.batchOf(lane, [changeOf(i)])))
      return lanes.map((lane) => {
        const { sequenceNumber, failure } = counted.get(lane) as Counted
        lane.sequenceNumber = sequenceNumber
        return failure
      })
    },
  }
}

async function leasedLanes({ client, tableName }: TestTable, lanes = SHARDS): Promise<Held[]> {
  return Promise.all(
    Array.from({ length: lanes }, async (_, i) => {
      const shardId = `shard-${i}`
      const Item = { ...keyEntry(checkpointKey(shardId)), owner: { S: OWNER }, leasedUntil: { N: '1' } }
      await client.send(new PutItemCommand({ TableName: tableName, Item }))
      return { shardId, owner: OWNER, sequenceNumber: undefined }
    }),
  )
}

function created(i: number, productId = 'p', sequence = 1): Change {
  const id = `r${i}-${sequence}`
  return {
    key: { PK: reviewKey(id).PK?.S ?? '', SK: '~' },
    sequenceNumber: `${1_000 + sequence}`,
    at: 1_000,
    before: undefined,
    after: reviewEntry({ id, productId, language: 'en', rating: 3, text: '0' }),
  }
}

async function totals({ client, tableName }: TestTable): Promise<Record<string, unknown>> {
  const entries = (await scan(client, tableName)).filter(({ PK }) => PK?.S?.startsWith('~counts.'))
  const counts = entries.map(({ PK, SK, count_total: total }) => [
    `${withoutDigest(PK?.S ?? '')} ${SK?.S}`,
    { count: Number(total?.N) },
  ])
  return countsOf(Object.fromEntries(counts))
}

async function counted({ table }: TestTable, lanes: readonly Lane[]): Promise<(string | undefined)[]> {
  const checkpoints = await Promise.all(lanes.map(({ shardId }) => readCheckpoint(table, shardId)))
  return checkpoints.map(({ sequenceNumber }) => sequenceNumber)
}

test('the lanes of a process count a hot product in one transaction with all their checkpoints', async () => {
  await using table = await openTestTable()
  const { count, transactions } = settingOf(table)
  const lanes = await leasedLanes(table)
  for (let sequence = 1; sequence <= 5; sequence++) {
    expect(await count(lanes, (i) => created(i, 'p', sequence))).toEqual(Array(SHARDS).fill(undefined))
  }
  expect(await counted(table, lanes)).toEqual(Array(SHARDS).fill('1005'))
  const all = { count: 5 * SHARDS }
  expect(await totals(table)).toEqual({ '~counts#REVIEW#p ~': all, '~counts#REVIEW#p en': all })
  expect(transactions).toEqual(Array(5).fill({ items: SHARDS + 2, refused: false }))
})

test('a lane that lost its lease, or whose checkpoint was moved, holds up none of the others', async () => {
  await using table = await openTestTable()
  const { count } = settingOf(table)
  const lanes = await leasedLanes(table, 5)
  const put = (shardId: string, attributes: Record<string, { S: string }>) =>
    table.client.send(
      new PutItemCommand({
        TableName: table.tableName,
        Item: { ...keyEntry(checkpointKey(shardId)), ...attributes },
      }),
    )
  await put('shard-1', { owner: { S: 'another process' } })
  await put('shard-3', { owner: { S: OWNER }, sequenceNumber: { S: '1001' } })
  const failures = await count(lanes, (i) => created(i))
  expect(failures).toEqual([
    undefined,
    expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('another process') }),
    ...[undefined, undefined, undefined],
  ])
  expect(await counted(table, lanes)).toEqual(['1001', undefined, '1001', '1001', '1001'])
  // That of shard 3 was counted by whoever moved its checkpoint.
  expect(await totals(table)).toMatchObject({ '~counts#REVIEW#p ~': { count: 3 } })
})

test('what DynamoDB refuses of one lane is left out, with a dead letter, and the others count', async () => {
  await using table = await openTestTable()
  const refuse = (command: TransactWriteItemsCommand): boolean =>
    JSON.stringify(command.input).includes(countsPartition(reviews, 'giant'))
  const { count } = settingOf(table, refuse)
  const lanes = await leasedLanes(table, 4)
  expect(await count(lanes, (i) => created(i, i === 2 ? 'giant' : 'p'))).toEqual(Array(4).fill(undefined))
  expect(await counted(table, lanes)).toEqual(Array(4).fill('1001'))
  expect(await totals(table)).toMatchObject({ '~counts#REVIEW#p ~': { count: 3 } })
  const kept = (await scan(table.client, table.tableName)).filter(({ PK }) => PK?.S === '~DEADLETTER')
  expect(kept).toMatchObject([{ SK: { S: expect.stringMatching(/^shard-2#0+1001$/) } }])
})

test('more than one transaction takes is counted in several, each full', async () => {
  await using table = await openTestTable()
  const { runner, transactions } = settingOf(table)
  const lanes = await leasedLanes(table, 4)
  const batches = lanes.map((lane, i) =>
    runner.batchOf(
      lane,
      Array.from({ length: 40 }, (_, j) => created(i, `p${i}-${j}`, j + 1)),
    ),
  )
  for (let left = batches; left.some(({ changes }) => changes.length > 0); ) {
    const { counted } = await runner.countNext(left)
    for (const lane of lanes) lane.sequenceNumber = counted.get(lane)?.sequenceNumber
    left = lanes.map((lane) => ({ lane, changes: counted.get(lane)?.left ?? [] }))
  }
  expect(await counted(table, lanes)).toEqual(Array(4).fill('1040'))
  expect(Object.keys(await totals(table))).toHaveLength(4 * 40 * 2)
  expect(transactions.map(({ items }) => items)).toEqual([100, 100, 100, 27])
})

/** A transaction that was made: its items, and when it was under way. */
interface Commit {
  readonly items: number
  readonly startedAt: number
  readonly endedAt: number
}

/** A poller of shards that a test fills, and what it sends. */
interface Polled extends AsyncDisposable {
  readonly poller: Poller
  /** Adds records of one product to shards, to be read together. */
  add(records: Readonly<Record<string, number>>): void
  readonly errors: (string | undefined)[]
  readonly transactions: Setting['transactions']
  readonly commits: readonly Commit[]
  counts(shardId: string): Promise<string | undefined>
}

async function poll(
  table: TestTable,
  { shards = 2, gatherMs = 60_000, renew = async (_: string): Promise<void> => {}, slow = '' } = {},
): Promise<Polled> {
  const filled = Array.from({ length: shards }, (_, i): StubShard & { records: _Record[] } => ({
    ...{ shardId: `s${i}`, records: [] },
  }))
  const commits: Commit[] = []
  const { runner, transactions } = settingOf({
    ...table,
    client: intercepted<DynamoDBClient>(table.client, async (command, send) => {
      if (command instanceof UpdateItemCommand) await renew(command.input.Key?.PK?.S ?? '')
      const startedAt = performance.now()
      const output = await send(command)
      if (command instanceof TransactWriteItemsCommand)
        commits.push({ items: command.input.TransactItems?.length ?? 0, startedAt, endedAt: performance.now() })
      return output
    }),
  })
  const errors: (string | undefined)[] = []
  const stub = stubStreams(filled)
  const streams = intercepted<StreamsClient>(stub, async (command, send) => {
    const { ShardIterator = '' } = (command as { readonly input: { readonly ShardIterator?: string } }).input
    if (slow !== '' && ShardIterator.startsWith(`${slow} `)) await new Promise(() => undefined)
    return send(command)
  })
  const poller = startPoller({
    ...{ streams, runner, gatherMs, idleMs: 10, leaseMs: 1_500, discoverMs: 50 },
    onError: (_, shardId) => errors.push(shardId),
  })
  let sequence = 1_000
  await vi.waitFor(() => expect(poller.status().shards).toHaveLength(shards), PATIENCE)
  return {
    ...{ poller, errors, transactions, commits },
    add(records) {
      for (const [shardId, times] of Object.entries(records)) {
        for (let i = 0; i < times; i++) {
          const id = `r${++sequence}`
          filled.find((shard) => shard.shardId === shardId)?.records.push(createdRecord(sequence, { id }))
        }
      }
    },
    counts: async (shardId) => (await readCheckpoint(table.table, shardId)).sequenceNumber,
    // A read that never answers is not waited for here.
    [Symbol.asyncDispose]: async () => (slow === '' ? poller.close() : void poller.close()),
  }
}

const aMoment = (ms = 150): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('the first change after a lull does not wait, those that follow are counted together, and much does not wait', async () => {
  await using table = await openTestTable()
  await using polled = await poll(table, { shards: 3 })
  const { add, counts, transactions } = polled
  add({ s0: 1 })
  await vi.waitFor(async () => expect(await counts('s0')).toBe('1001'), PATIENCE)
  add({ s0: 1 })
  await aMoment()
  add({ s1: 1 })
  await aMoment()
  expect(await counts('s0')).toBe('1001')
  expect(transactions).toHaveLength(1)
})

test('lanes that have changes are read when the next commit is due, and share it', async () => {
  await using table = await openTestTable()
  await using polled = await poll(table, { shards: 3, gatherMs: 1_000 })
  const { add, counts, transactions } = polled
  add({ s0: 1 })
  await vi.waitFor(async () => expect(await counts('s0')).toBe('1001'), PATIENCE)
  // The commit of all three has their checkpoints and two counters. On a busy machine a lane can come late, and miss it.
  const isShared = (): boolean => transactions.some(({ items, refused }) => items === 5 && !refused)
  for (let last = 1_004; !isShared() && last < 1_030; last += 3) {
    const before = transactions.length
    add({ s0: 1, s1: 1 })
    await aMoment(50)
    add({ s2: 1 })
    await vi.waitFor(async () => expect(await counts('s2')).toBe(String(last)), PATIENCE)
    expect(transactions.length - before).toBeLessThanOrEqual(3)
  }
  expect(isShared()).toBe(true)
})

test('so much that more is waiting is read on at once', async () => {
  await using table = await openTestTable()
  await using polled = await poll(table)
  const began = performance.now()
  polled.add({ s1: 1_500 })
  await vi.waitFor(async () => expect(await polled.counts('s1')).toBe('2500'), PATIENCE)
  expect(performance.now() - began).toBeLessThan(60_000)
})

test('a shard whose lease is lost, or can not be renewed, is left out of the commit', async () => {
  await using table = await openTestTable()
  let isBroken = false
  const renew = async (key: string): Promise<void> => {
    if (isBroken && key === '~STREAM#s1') throw new Error('throttled')
  }
  await using polled = await poll(table, { shards: 3, gatherMs: 10, renew })
  const { add, counts, errors } = polled
  const thief = { ...keyEntry(checkpointKey('s2')), owner: { S: 'another' }, leasedUntil: { N: String(2 ** 45) } }
  await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: thief }))
  isBroken = true
  // Half of the lease is over by then.
  await aMoment(900)
  add({ s0: 1, s1: 1, s2: 1 })
  await vi.waitFor(async () => expect(await counts('s0')).toBe('1001'), PATIENCE)
  expect([await counts('s1'), await counts('s2')]).toEqual([undefined, undefined])
  expect(errors).toContain('s1')
  isBroken = false
  await vi.waitFor(async () => expect(await counts('s1')).toBe('1002'), PATIENCE)
  expect(await totals(table)).toMatchObject({ '~counts#REVIEW#p ~': { count: 2 } })
})

test('a shard that does not answer holds up none of the others', async () => {
  await using table = await openTestTable()
  await using polled = await poll(table, { slow: 's0', gatherMs: 10 })
  polled.add({ s1: 1 })
  await vi.waitFor(async () => expect(await polled.counts('s1')).toBe('1001'), PATIENCE)
})

test('commits of many checkpoints come less often, so that a change costs the same', async () => {
  await using table = await openTestTable()
  await using polled = await poll(table, { shards: 6, gatherMs: 400 })
  const { add, counts, commits } = polled
  // Six checkpoints and two counters are 8 items, of one lane they are 3.
  const pauses = (): number[] =>
    commits.slice(1).flatMap(({ startedAt }, i) => (commits[i]?.items === 8 ? startedAt - commits[i].endedAt : []))
  // On a busy machine a lane can come late, and miss the commit of the others.
  for (let last = 1_006; pauses().length === 0; last += 6) {
    add({ s0: 1, s1: 1, s2: 1, s3: 1, s4: 1, s5: 1 })
    await vi.waitFor(async () => expect(await counts('s5')).toBe(`${last}`), PATIENCE)
  }
  for (const pause of pauses()) expect(pause).toBeGreaterThan((400 * 8) / 3 - 10)
})
