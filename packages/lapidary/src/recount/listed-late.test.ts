import { DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import { countedTable, MADE_AT } from '../../test/memory-items/counted-table.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { checkpointKey, readCheckpoint } from '../stream/checkpoint.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { repair } from './mend.ts'
import { verify } from './verify.ts'

const quick = { idleMs: 1, poll: false }
const HOUR_MS = 3_600_000

/**
 * A shard that has closed, with two behind it, one of which is listed later, and gets no probe before. Lambda has counted in it. A minute
 * passes in a second.
 */
async function split({ listedAfterMs = 600, openedAt = MADE_AT, began = '2023-11-01T00:00:00.000' } = {}) {
  const named = (at: number, part: string): string => `shardId-${String(at).padStart(20, '0')}-${part}`
  const [parent, large, small] = [named(MADE_AT - 4 * HOUR_MS, 'p'), named(MADE_AT, 'a'), named(openedAt, 'b')]
  let current = parent
  const started = Date.now()
  const passed = (): number => Date.now() - started
  const table = countedTable({
    shards: [parent, large, small],
    shardOf: (partition) => (/^~PROBE.*[13579]$/.test(partition) && passed() > listedAfterMs ? small : current),
    clock: () => MADE_AT + 60_000,
    description: { LatestStreamArn: `arn:table/things/stream/${began}` },
  })
  for (const shard of table.shards.slice(1)) Object.assign(shard, { parent })
  Object.assign(table.shards[0] ?? {}, { closed: true })
  await table.write('1', 'q')
  await table.count()
  const over = table.items.get(checkpointKey(parent))
  table.items.put({ ...keyEntry(checkpointKey(parent)), ...over, finished: { BOOL: true } })
  current = small
  await table.write('2', 'q')
  await table.count()
  current = large
  const streams = {
    async send(command: never) {
      const output = await (table.derived.streams as StreamsClient).send(command)
      const { StreamDescription } = output as { readonly StreamDescription?: { readonly Shards: object[] } }
      if (!((command as object) instanceof DescribeStreamCommand) || passed() > listedAfterMs) return output
      const Shards = StreamDescription?.Shards.filter((shard) => (shard as { ShardId: string }).ShardId !== small)
      return { StreamDescription: { Shards } }
    },
  } as unknown as StreamsClient
  const derived = { ...table.derived, streams, now: () => 60 * passed(), listedMs: 20_000 }
  return { ...table, derived, small, checkpoint: () => readCheckpoint(table.items, small) }
}

test('a shard that is counted is waited for, until it is listed: nothing differs, and it is counted on', async () => {
  for (const act of [verify, repair]) {
    const { derived, checkpoint, counts } = await split()
    expect(await act(derived, quick)).toMatchObject({ differences: [], pending: 0 })
    expect(counts()).toEqual({ count_q: 2 })
    expect(await checkpoint()).toMatchObject({ finished: false, gap: false })
  }
})

test('one that is not listed for a minute is named, and nothing is written to it', async () => {
  for (const act of [verify, repair]) {
    const { derived, checkpoint, small } = await split({ listedAfterMs: 600_000 })
    await expect(act(derived, quick)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`does not list ${small}, of which something is counted; run it again`),
    })
    expect(await checkpoint()).toMatchObject({ finished: false })
  }
})

test.each([
  ['that the stream has forgotten', { openedAt: MADE_AT - 25 * HOUR_MS }],
  ['of a table that this one is a replica or a copy of', { openedAt: MADE_AT - HOUR_MS / 4 }],
  ['of an earlier stream', { began: new Date(MADE_AT + 1).toISOString().slice(0, -1) }],
  ['of a stream that is not named by when it began', { began: 'now' }],
])('one %s is not waited for', async (_, which) => {
  const { derived, checkpoint } = await split({ ...which, listedAfterMs: 600_000 })
  await repair(derived, quick)
  expect(await checkpoint()).toMatchObject({ finished: true })
})
