import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { LapidaryError } from 'lapidary'
import { Killed } from 'lapidary/testing'
import { compareSequenceNumbers } from '../../src/derived/change.ts'
import type { Lane } from '../../src/stream/batch.ts'
import { checkpointKey, finishShard, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { createGathering } from '../../src/stream/gathering.ts'
import { leaseOf } from '../../src/stream/lease.ts'
import type { Runner } from '../../src/stream/runner.ts'
import { createShardReader, type ShardReader } from '../../src/stream/shard-reader.ts'
import { listShards } from '../../src/stream/shards.ts'

const LEASE_MS = 1_000

/** What a process does that keeps derived data, round by round and without timers. */
export interface StreamProcess {
  /** Reads once from every shard that may be read, all at the same time. False when there was nothing new anywhere. */
  round(): Promise<boolean>
}

interface LaneInHand {
  readonly lane: Lane
  readonly reader: ShardReader
  furthest: string | undefined
}

/** @param owner A new one for each process, as a restarted process has. @param now The virtual time of its leases. */
export function createStreamProcess(
  { runner, streams, arn }: { readonly runner: Runner; readonly streams: DynamoDBStreamsClient; readonly arn: string },
  owner: string,
  now: number,
): StreamProcess {
  const { table } = runner
  const clock = () => now
  const gathering = createGathering({ runner, gatherMs: 0, clock, signal: new AbortController().signal })
  const lanes = new Map<string, LaneInHand>()
  const finished = new Set<string>()
  /** Shards are listed at the start, when one has ended, and before a round is called idle. */
  let listAgain = true
  let shards: Awaited<ReturnType<typeof listShards>> = []

  async function laneOf(shardId: string): Promise<LaneInHand | undefined> {
    const held = lanes.get(shardId)
    if (held !== undefined) return held
    const checkpoint = await readCheckpoint(table, shardId)
    if (checkpoint.finished) {
      finished.add(shardId)
      return undefined
    }
    const lease = leaseOf(table, { key: checkpointKey(shardId), owner, leaseMs: LEASE_MS, clock })
    if (!(await lease.renew())) return undefined
    const { sequenceNumber } = checkpoint
    const lane = { shardId, owner, sequenceNumber }
    const taken = { lane, reader: createShardReader(streams, arn, shardId, sequenceNumber), furthest: sequenceNumber }
    lanes.set(shardId, taken)
    return taken
  }

  async function step(shardId: string): Promise<boolean> {
    const held = await laneOf(shardId)
    if (held === undefined) return finished.has(shardId)
    const batch = await held.reader.next()
    await gathering.count(held.lane, batch.changes, { keep: async () => true, large: false })
    if (batch.end) {
      if (await finishShard(table, shardId, owner, now)) finished.add(shardId)
      lanes.delete(shardId)
      return true
    }
    const isNew =
      batch.last !== undefined && (held.furthest === undefined || compareSequenceNumbers(batch.last, held.furthest) > 0)
    if (isNew) held.furthest = batch.last
    return isNew
  }

  return {
    async round() {
      const known = shards.length
      const finishedBefore = finished.size
      try {
        if (listAgain) shards = await listShards(streams, arn)
      } catch (error) {
        requireExpected(error)
        return true
      }
      const listed = new Set(shards.map(({ shardId }) => shardId))
      const open = shards.filter(
        ({ shardId, parentShardId }) =>
          !finished.has(shardId) &&
          (parentShardId === undefined || !listed.has(parentShardId) || finished.has(parentShardId)),
      )
      const steps = await Promise.all(
        open.map(async ({ shardId }) => {
          try {
            return await step(shardId)
          } catch (error) {
            requireExpected(error)
            lanes.delete(shardId)
            return true
          }
        }),
      )
      const progress = shards.length > known || steps.includes(true)
      listAgain = !progress || finished.size > finishedBefore
      return progress
    },
  }
}

const PASSING = new Set(['ThrottlingException', 'LimitExceededException', 'TransactionConflictException'])

/** What a process survives, or dies of and is started again; anything else is a bug of the runner. */
function requireExpected(error: unknown): void {
  if (error instanceof Killed || (error instanceof LapidaryError && error.code === 'unavailable')) return
  if (error instanceof Error && (PASSING.has(error.name) || 'code' in error)) return
  throw error
}
