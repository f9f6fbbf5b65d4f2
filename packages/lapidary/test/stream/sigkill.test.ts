import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { seededRandom } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { checkpointKey, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { GivenLane } from '../../src/stream/given-lane.ts'
import { leaseOf } from '../../src/stream/lease.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards } from '../../src/stream/shards.ts'
import { recount } from './recount.ts'
import { openTestTable } from './test-table.ts'

const KILLS = 6
const script = fileURLToPath(new URL('./writing-process.ts', import.meta.url))

test('counts are exact after a process that writes and counts was killed again and again', async () => {
  const [engine] = testEngines()
  await using setting = await openTestTable()
  const random = seededRandom(17)
  /** How far each shard is counted. */
  const places = async (): Promise<string> => {
    const shards = await listShards(setting.streams, setting.arn)
    const checkpoints = await Promise.all(shards.map(({ shardId }) => readCheckpoint(setting.table, shardId)))
    return checkpoints.map(({ sequenceNumber }) => sequenceNumber).join()
  }
  for (let life = 0; life < KILLS; life++) {
    const before = await places()
    const child: ChildProcess = fork(script, [engine?.endpoint ?? '', setting.tableName, String(life), '2000'], {
      execArgv: ['--import', 'tsx'],
      stdio: 'inherit',
    })
    await once(child, 'message')
    // Every other one has counted something by then, however busy the machine is.
    if (life % 2 === 0) await vi.waitUntil(async () => (await places()) !== before, PATIENCE)
    await delay(random() * 600)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const runner = setting.runner()
  for (const { shardId } of await listShards(setting.streams, setting.arn)) {
    // The lease of the killed one is over in a moment, which is not waited for here.
    const future = { owner: 'last', leaseMs: 60_000, clock: () => 2 ** 45 }
    expect(await leaseOf(setting.table, { key: checkpointKey(shardId), ...future }).renew()).toBe(true)
    const { sequenceNumber } = await readCheckpoint(setting.table, shardId)
    const lane = new GivenLane({ runner, shardId, owner: 'last', sequenceNumber })
    const reader = createShardReader({ streams: setting.streams, arn: setting.arn, shard: { shardId } }, sequenceNumber)
    for (let batch = await reader.next(); batch.records > 0; batch = await reader.next()) {
      await lane.count(batch.changes)
    }
  }
  const { found, expected, deadLetters } = await recount(setting.client, setting.tableName)
  expect(found).toEqual(expected)
  // How much a process writes before it is killed is the machine's affair; nothing at all would prove nothing.
  expect(Object.keys(expected).length).toBeGreaterThan(4)
  expect(deadLetters).toEqual([])
})
