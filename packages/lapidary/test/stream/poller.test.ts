import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBStreamsClient, GetRecordsCommand } from '@aws-sdk/client-dynamodb-streams'
import {
  type AwsBehaviour,
  type AwsStream,
  createAwsStream,
  createFaultKit,
  drawFaultRates,
  intercepted,
  seededRandom,
} from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { readCheckpoint } from '../../src/stream/checkpoint.ts'
import { type Poller, startPoller } from '../../src/stream/poller.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { listShards } from '../../src/stream/shards.ts'
import { recount } from './recount.ts'
import { reviewProjections } from './reviews.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'
import { createWorkload } from './workload.ts'

const PACE = { idleMs: 10, gatherMs: 10, leaseMs: 400, discoverMs: 50 }

async function isCounted({ client, tableName }: TestTable): Promise<void> {
  const { found, expected } = await recount(client, tableName)
  expect(found).toEqual(expected)
}

function awsStream(setting: TestTable, behaviour: Partial<AwsBehaviour>): AwsStream {
  return createAwsStream({ ...setting, seed: 1, behaviour })
}

async function write(setting: Pick<TestTable, 'client' | 'tableName'>, seed: number, changes: number): Promise<void> {
  const workload = createWorkload(setting.client, setting.tableName, seededRandom(seed), changes)
  while (await workload.write());
}

function poll(setting: TestTable, streams: DynamoDBStreamsClient, client = setting.client): Poller {
  const table = tableThrough(client, setting.tableName, Math.random)
  return startPoller({
    streams,
    runner: createRunner({ table, projections: reviewProjections() }),
    ...PACE,
  })
}

test('follows shards that close into their children, parents first', async () => {
  await using setting = await openTestTable()
  const { client, streams } = awsStream(setting, { shards: 2, shardRecords: 12, splits: 0.5 })
  await using _poller = poll(setting, streams, client)
  await write({ ...setting, client }, 5, 120)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  const shards = await listShards(streams, setting.arn)
  expect(shards.length).toBeGreaterThan(4)
  for (const { shardId, parentShardId } of shards) {
    const checkpoint = await readCheckpoint(setting.table, shardId)
    if (checkpoint.sequenceNumber === undefined || parentShardId === undefined) continue
    expect((await readCheckpoint(setting.table, parentShardId)).finished).toBe(true)
  }
})

test('counts on when the clock is put back', async () => {
  await using setting = await openTestTable()
  const table = tableThrough(setting.client, setting.tableName, Math.random)
  let back = 0
  await using _poller = startPoller({
    ...{ streams: setting.streams, runner: createRunner({ table, projections: reviewProjections() }) },
    ...{ ...PACE, clock: () => Date.now() - back },
  })
  await write(setting, 6, 20)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  back = 86_400_000
  await write(setting, 7, 20)
  // Long before the clock is where it was.
  await vi.waitFor(() => isCounted(setting), PATIENCE)
})

test('two pollers share shards by lease, and one takes over when the other is killed', async () => {
  await using setting = await openTestTable()
  const { client, streams } = awsStream(setting, { shards: 4 })
  const kit = createFaultKit({ seed: 1, killAt: 20 })
  await using first = poll(setting, kit.streams(streams), kit.dynamodb(client))
  // One that has no shard makes no writes to die at.
  await vi.waitFor(() => expect(first.status().shards).not.toEqual([]), PATIENCE)
  await using second = poll(setting, streams, client)
  const held = (): string[] => [first, second].flatMap((poller) => poller.status().shards.map(({ shardId }) => shardId))
  await vi.waitFor(() => expect(held().sort()).toHaveLength(4), PATIENCE)
  expect(new Set(held()).size).toBe(4)
  for (let round = 0; !kit.isKilled && round < 600; round++) await write({ ...setting, client }, round, 20)
  expect(kit.isKilled).toBe(true)
  await write({ ...setting, client }, 99, 60)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  await vi.waitFor(() => expect(second.status().shards).toHaveLength(4), PATIENCE)
  expect(first.status()).toBeDefined()
})

test('keeps on through every fault but a kill, and is exact', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    await using setting = await openTestTable()
    const kit = createFaultKit({ seed, rates: { ...drawFaultRates(seed), throttled: 0.05, dropped: 0.05, killed: 0 } })
    const { client, streams } = awsStream(setting, { shards: 3, shardRecords: 60, splits: 0.5 })
    await using _poller = poll(setting, kit.streams(streams), kit.dynamodb(client))
    await write({ ...setting, client }, seed, 80)
    await vi.waitFor(() => isCounted(setting), PATIENCE)
  }
})

test('reads a quiet shard less often, and faster again once there is something to count', async () => {
  await using setting = await openTestTable()
  const reads: number[] = []
  const streams = intercepted<DynamoDBStreamsClient>(setting.streams, (command, send) => {
    if (command instanceof GetRecordsCommand) reads.push(performance.now())
    return send(command)
  })
  const gaps = (from: number): number[] => reads.slice(from + 1).map((at, i) => at - (reads[from + i] as number))
  await using _poller = startPoller({ streams, runner: setting.runner(), ...PACE, quietMs: 1_000 })
  await vi.waitFor(() => expect(gaps(0).at(-1)).toBeGreaterThan(900), PATIENCE)
  const before = reads.length
  await write(setting, 3, 5)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  // On a slow machine a read by itself takes a while.
  await vi.waitFor(() => expect(Math.min(...gaps(before))).toBeLessThan(500), PATIENCE)
})

test('an owner that stood still past its lease is fenced, and its successor counts what it had read', async () => {
  await using setting = await openTestTable()
  let stopped: (() => void) | undefined
  let goOn: () => void = () => undefined
  const standing = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const standsStill = new Promise<void>((resolve) => {
    stopped = resolve
  })
  const slow = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    if (command instanceof TransactWriteItemsCommand) {
      stopped?.()
      await standing
    }
    return send(command)
  })
  await using zombie = poll(setting, setting.streams, slow)
  await write(setting, 7, 30)
  await standsStill
  await using _successor = poll(setting, setting.streams)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  goOn()
  await write(setting, 8, 30)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  expect(zombie.status()).toBeDefined()
})

test('gives up a shard that it can read and not count, so that another process has it', async () => {
  await using setting = await openTestTable()
  await write(setting, 11, 20)
  const broken = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    if (command instanceof TransactWriteItemsCommand) throw new Error('no permission to write')
    return send(command)
  })
  const errors: unknown[] = []
  await using _first = startPoller({
    ...{ streams: setting.streams, ...PACE, onError: (error) => errors.push(error) },
    // Longer than the test may take.
    leaseMs: 3_600_000,
    runner: createRunner({ table: tableThrough(broken, setting.tableName, () => 0), projections: reviewProjections() }),
  })
  await vi.waitFor(() => expect(errors).not.toEqual([]), PATIENCE)
  await using _second = poll(setting, setting.streams)
  await vi.waitFor(() => isCounted(setting), PATIENCE)
  expect(errors.length).toBeGreaterThanOrEqual(10)
})
