import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { type Change, compareSequenceNumbers } from '../derived/change.ts'
import { jitteredDelay } from '../table/retrying.ts'
import { acquireLease, finishShard, noteGap, readCheckpoint } from './checkpoint.ts'
import type { Lane, Runner } from './runner.ts'
import { createShardReader } from './shard-reader.ts'

/** What one process does with one shard while it has the lease. */
export interface ShardLaneOptions {
  readonly streams: Pick<DynamoDBStreamsClient, 'send'>
  readonly runner: Runner
  readonly arn: string
  readonly shardId: string
  readonly owner: string
  readonly idleMs: number
  readonly gatherMs: number
  readonly leaseMs: number
  readonly endReads: number
  readonly signal: AbortSignal
  readonly clock: () => number
  readonly pause: (milliseconds: number) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Told of changes as they are read, before they are counted, and when the read began. */
  readonly onChanges: (changes: readonly Change[], startedAt: number) => void
  /** Told when records were lost to the stream's retention. */
  readonly onGap: () => void
  /** Told of each read: when it began, and the time of the last record; undefined when it reached the shard's end. */
  readonly onRead: (startedAt: number, lastRecordAt: number | undefined) => void
}

/** How often a checkpoint moves over records that change nothing; the stream keeps them for 24 hours. */
const ADVANCE_MS = 15 * 60_000

/** Failures in a row after which the shard is given up, for another process to try. */
const MAX_FAILURES = 10

/** Reads a shard on from its checkpoint until it ends, the lease is lost, or the signal says so. True when it has ended. */
export async function runShardLane(options: ShardLaneOptions): Promise<boolean> {
  const { runner, signal, pause, onError } = options
  for (let failures = 0; !signal.aborted && failures < MAX_FAILURES; ) {
    const progress = () => {
      failures = 0
    }
    try {
      return await readOn(options, progress)
    } catch (error) {
      failures += 1
      onError(error)
      await pause(50 + jitteredDelay(failures, runner.table.random))
    }
  }
  return false
}

async function readOn(options: ShardLaneOptions, progress: () => void): Promise<boolean> {
  const {
    streams,
    runner,
    arn,
    shardId,
    owner,
    idleMs,
    gatherMs,
    leaseMs,
    signal,
    clock,
    pause,
    onRead,
    onChanges,
    onGap,
  } = options
  const { table } = runner
  let leasedUntil = 0
  const holdsLease = async (now: number): Promise<boolean> => {
    if (now <= leasedUntil - (leaseMs * 2) / 3) return true
    if (!(await acquireLease(table, shardId, { owner, now, until: now + leaseMs }))) return false
    leasedUntil = now + leaseMs
    return true
  }
  if (!(await holdsLease(clock()))) return false
  const { sequenceNumber } = await readCheckpoint(table, shardId)
  const lane: Lane = { shardId, owner, sequenceNumber }
  const reader = createShardReader(streams, arn, shardId, sequenceNumber)
  let movedAt = clock()
  let lastRead: string | undefined
  let atEnd: readonly number[] = []
  while (!signal.aborted) {
    const now = clock()
    if (!(await holdsLease(now))) return false
    const batch = await reader.next()
    if (batch.gap) {
      await noteGap(table, shardId, owner)
      onGap()
    }
    onChanges(batch.changes, now)
    const from = lane.sequenceNumber
    await runner.apply(lane, batch.changes)
    lastRead = batch.last ?? lastRead
    if (lane.sequenceNumber === from && now - movedAt > ADVANCE_MS && isAfter(lastRead, from)) {
      await runner.advance(lane, lastRead)
    }
    if (lane.sequenceNumber !== from) movedAt = now
    atEnd = batch.cut ? [] : [...atEnd, now].slice(-options.endReads)
    const [sinceWhen] = atEnd
    if (sinceWhen !== undefined && atEnd.length === options.endReads) onRead(sinceWhen, undefined)
    else if (batch.changes.length > 0) onRead(now, batch.changes.at(-1)?.at)
    progress()
    if (batch.end) return finishShard(table, shardId, owner, clock())
    // A batch costs the same for one change as for hundreds of one scope.
    if (lane.sequenceNumber !== from && !batch.large) await pause(gatherMs)
    else if (batch.records === 0) await pause(idleMs)
  }
  return false
}

function isAfter(read: string | undefined, processed: string | undefined): read is string {
  return read !== undefined && (processed === undefined || compareSequenceNumbers(read, processed) > 0)
}
