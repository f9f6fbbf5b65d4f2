import { BatchGetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { intercepted } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { checkpointKey, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { startPoller } from '../../src/stream/poller.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { reviewProjections } from './reviews.ts'
import { createdRecord, type StubShard, stubStreams } from './stub-streams.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'

const PACE = { idleMs: 10, gatherMs: 10, leaseMs: 120_000, discoverMs: 20 }
const SHARDS: StubShard[] = [
  { shardId: 'parent', records: [createdRecord(1_001, { id: 'a' })], closed: true },
  { shardId: 'child', parent: 'parent', records: [createdRecord(2_001, { id: 'b' })] },
]

async function putParent({ client, tableName }: TestTable, finished: boolean): Promise<void> {
  const held = { owner: { S: 'another process' }, leasedUntil: { N: String(2 ** 45) } }
  const Item = { ...keyEntry(checkpointKey('parent')), ...(finished ? { finished: { BOOL: true } } : held) }
  await client.send(new PutItemCommand({ TableName: tableName, Item }))
}

test('a shard waits until the one before it is counted to its end, also by another process', async () => {
  await using setting = await openTestTable()
  await putParent(setting, false)
  let looks = 0
  const watched = intercepted<typeof setting.client>(setting.client, (command, send) => {
    const { Keys = [] } =
      (command instanceof BatchGetItemCommand && command.input.RequestItems?.[setting.tableName]) || {}
    if (Keys.some(({ PK }) => PK?.S === checkpointKey('child').PK)) looks += 1
    return send(command)
  })
  const table = tableThrough(watched, setting.tableName, Math.random)
  const runner = createRunner({ table, projections: reviewProjections() })
  await using poller = startPoller({ streams: stubStreams(SHARDS), runner, ...PACE })
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3), PATIENCE)
  const unknown = { lagMs: null, shards: [], caughtUpAt: undefined, backlogReads: 0 }
  expect(poller.status()).toEqual({ ...unknown, others: ['parent'] })
  expect(await readCheckpoint(setting.table, 'child')).toMatchObject({ owner: undefined, gaps: 0 })
  await putParent(setting, true)
  const counted = async () =>
    expect(await readCheckpoint(setting.table, 'child')).toMatchObject({ sequenceNumber: '2001', gap: false })
  await vi.waitFor(counted, PATIENCE)
  expect(poller.status().shards.map(({ shardId }) => shardId)).toEqual(['child'])
  // A shard that another process has finished keeps back nothing.
  await vi.waitFor(() => expect(poller.status().caughtUpAt).toBeGreaterThan(0), PATIENCE)
  expect(await readCheckpoint(setting.table, 'parent')).toMatchObject({ sequenceNumber: undefined, owner: undefined })
})

test('a poller is as far behind as the slowest of its shards', async () => {
  await using setting = await openTestTable()
  const streams = stubStreams(['quick', 'slow'].map((shardId) => ({ shardId, records: [] })))
  let isStuck = false
  let passed = 0
  const sometimes = intercepted<typeof streams>(streams, (command, send) => {
    const { ShardIterator = '' } = (command as { readonly input: { readonly ShardIterator?: string } }).input
    return isStuck && ShardIterator.startsWith('slow ') ? new Promise(() => undefined) : send(command)
  })
  const runner = createRunner({ table: setting.table, projections: reviewProjections() })
  const poller = startPoller({ streams: sometimes, runner, ...PACE, clock: () => 1_800_000_000_000 + passed })
  expect(poller.status()).toEqual({ lagMs: null, shards: [], others: [], caughtUpAt: undefined, backlogReads: 0 })
  await vi.waitFor(
    () => expect(poller.status()).toMatchObject({ lagMs: 0, shards: [{ lagMs: 0 }, { lagMs: 0 }] }),
    PATIENCE,
  )
  const lags = () => new Map(poller.status().shards.map(({ shardId, lagMs }) => [shardId, lagMs]))
  isStuck = true
  // Time passes while a read of it is under way, and the other goes on.
  await new Promise((resolve) => setTimeout(resolve, 200))
  passed = 60_000
  await vi.waitFor(() => expect([lags().get('quick'), lags().get('slow')]).toEqual([0, 60_000]), PATIENCE)
  expect(poller.status()).toMatchObject({ lagMs: 60_000, caughtUpAt: 1_800_000_000_000 })
  void poller.close()
})
