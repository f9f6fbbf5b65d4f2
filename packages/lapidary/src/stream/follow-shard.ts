import { setTimeout as sleep } from 'node:timers/promises'
import { createShardReader, type ShardBatch } from './shard-reader.ts'
import type { StreamsClient } from './streams-client.ts'

/** One read of a shard that is followed. */
export interface ShardRead extends ShardBatch {
  /** When the read began. */
  readonly startedAt: number
  /**
   * When the first of the last `endReads` reads began, if none of them left anything waiting: all that was in the shard by
   * then is read. One read may be short, or empty, before there is more.
   */
  readonly caughtUpAt: number | undefined
}

export interface FollowOptions {
  readonly streams: Pick<StreamsClient, 'send'>
  readonly arn: string
  readonly shardId: string
  /** The last sequence number that was processed; from the oldest record that is left when undefined. */
  readonly after: string | undefined
  /** Where the shard began, so that it is noticed when something of its beginning is gone. */
  readonly start?: string | undefined
  /** Reads in a row for a shard to be taken to be read to its end. */
  readonly endReads: number
  /** Milliseconds to wait before the next read. */
  readonly pauseAfter: (read: ShardRead) => number
  /** Failures in a row that are passed over; 0 when not given. */
  readonly mostFailures?: number
  readonly clock: () => number
  readonly signal: AbortSignal
}

const RETRY_MS = 200

/** Reads a shard onwards: until its end, or until the signal or the loop that takes the reads stops it. */
export async function* followShard(options: FollowOptions): AsyncGenerator<ShardRead> {
  const { streams, arn, shardId, after, start, endReads, pauseAfter, mostFailures = 0, clock, signal } = options
  const reader = createShardReader(streams, arn, shardId, after, start)
  let atEnd: readonly number[] = []
  for (let failures = 0; !signal.aborted; ) {
    const startedAt = clock()
    let batch: ShardBatch
    try {
      batch = await reader.next()
    } catch (error) {
      failures += 1
      if (failures > mostFailures) throw error
      await pauseUnless(signal, RETRY_MS)
      continue
    }
    failures = 0
    atEnd = batch.cut ? [] : [...atEnd, startedAt].slice(-endReads)
    const read = { ...batch, startedAt, caughtUpAt: atEnd.length === endReads ? atEnd[0] : undefined }
    yield read
    if (batch.end) return
    await pauseUnless(signal, pauseAfter(read))
  }
}

/** Waits, or not any longer once the signal is given. */
export async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
}
