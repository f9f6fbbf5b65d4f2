import { type Change, compareSequenceNumbers } from '../derived/change.ts'
import { jitteredDelay } from '../table/retrying.ts'
import type { Lane } from './batch.ts'
import { finishShard, noteGap, readCheckpoint } from './checkpoint.ts'
import { followShard, pauseUnless, type ShardRead } from './follow-shard.ts'
import type { Gathering } from './gathering.ts'
import type { Lease } from './lease.ts'
import type { Runner } from './runner.ts'
import type { StreamsClient } from './streams-client.ts'

/** What one process does with one shard while it has the lease. */
export interface ShardLaneOptions {
  readonly streams: Pick<StreamsClient, 'send'>
  readonly runner: Runner
  readonly gathering: Gathering
  readonly arn: string
  readonly shardId: string
  /** Where the shard began. */
  readonly start: string | undefined
  readonly lease: Lease
  readonly idleMs: number
  readonly endReads: number
  readonly signal: AbortSignal
  readonly clock: () => number
  readonly onError: (error: unknown) => void
  /** Told of changes as they are read, before they are counted, and when the read began. */
  readonly onChanges: (changes: readonly Change[], startedAt: number) => void
  /** Whether the shard was counted to its end, though its checkpoint does not say so. */
  readonly isPassed: () => Promise<boolean>
  /** Told when records were lost to the stream's retention. */
  readonly onGap: () => void
  /** Told of each read, once its changes are counted, and whether there were any to count. */
  readonly onRead: (read: ShardRead, counted: boolean) => void
}

/** How often a checkpoint moves over records that change nothing; the stream keeps them for 24 hours. */
const ADVANCE_MS = 15 * 60_000

/** Failures in a row after which the shard is given up, for another process to try. */
const MAX_FAILURES = 10

/** Reads a shard on from its checkpoint until it ends, the lease is lost, or the signal says so. True when it has ended. */
export async function runShardLane(options: ShardLaneOptions): Promise<boolean> {
  const { runner, signal, onError } = options
  for (let failures = 0; !signal.aborted && failures < MAX_FAILURES; ) {
    const progress = () => {
      failures = 0
    }
    try {
      return await readOn(options, progress)
    } catch (error) {
      failures += 1
      onError(error)
      await pauseUnless(signal, 50 + jitteredDelay(failures, runner.table.random))
    }
  }
  return false
}

async function readOn(options: ShardLaneOptions, progress: () => void): Promise<boolean> {
  const { runner, gathering, shardId, lease, idleMs, clock, onRead, onChanges, onGap, isPassed } = options
  const { table } = runner
  if (!(await lease.renew())) return false
  const { sequenceNumber } = await readCheckpoint(table, shardId)
  const lane: Lane = { shardId, owner: lease.owner, sequenceNumber }
  let movedAt = clock()
  let lastRead: string | undefined
  let moved = false
  // A batch costs the same for one change as for hundreds of one scope.
  const pauseAfter = ({ large, records }: ShardRead): number =>
    moved && !large ? gathering.untilNext(lane) : records === 0 ? idleMs : 0
  for await (const read of followShard({ ...options, after: sequenceNumber, pauseAfter })) {
    if (!(await lease.keep())) return false
    if (read.gap && !(await isPassed())) {
      await noteGap(table, shardId, lease.owner)
      onGap()
    }
    onChanges(read.changes, read.startedAt)
    const from = lane.sequenceNumber
    await gathering.count(lane, read.changes, { keep: lease.keep, large: read.large })
    lastRead = read.last ?? lastRead
    // What was noted as lost is not to be noted again by the next process.
    const mayMove = read.gap || read.startedAt - movedAt > ADVANCE_MS
    if (lane.sequenceNumber === from && mayMove && isAfter(lastRead, from)) {
      await runner.advance(lane, lastRead)
    }
    moved = lane.sequenceNumber !== from
    if (moved) movedAt = read.startedAt
    onRead(read, moved)
    progress()
    if (read.end) return finishShard(table, shardId, lease.owner, clock())
  }
  return false
}

function isAfter(read: string | undefined, processed: string | undefined): read is string {
  return read !== undefined && (processed === undefined || compareSequenceNumbers(read, processed) > 0)
}
