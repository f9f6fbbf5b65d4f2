import { randomUUID } from 'node:crypto'
import { CountingRounds, MOST_TIMES } from './counting-rounds.ts'
import { PolledShards } from './polled-shards.ts'
import { type PollerOptions, pollingOf } from './polling.ts'
import type { ShardLane } from './shard-lane.ts'
import { ShardTaker } from './shard-taker.ts'

/** How far one shard is counted. */
export interface ShardStatus {
  readonly shardId: string
  /** Milliseconds by which it is behind; 0 when all that the stream tells of it is counted, null before the first read. */
  readonly lagMs: number | null
  /** Whatever the stream had told of it before is counted, in milliseconds since 1970; undefined before it was read to its end. */
  readonly caughtUpAt?: number | undefined
}

/** What a poller is doing. */
export interface PollerStatus {
  /** Milliseconds by which the slowest shard is behind; 0 when all that the stream tells is counted, null before the first read. */
  readonly lagMs: number | null
  readonly shards: readonly ShardStatus[]
  /** Shards that other processes have the lease of. */
  readonly others: readonly string[]
  /**
   * Whatever the stream had told of before is counted, in milliseconds since 1970; undefined while this process has not read all
   * shards to their ends. AWS may tell of a write seconds later.
   */
  readonly caughtUpAt: number | undefined
  /** Reads that gave as much as one gives, or something of a shard that others follow: it grows while a backlog is read, whatever is in it. */
  readonly backlogReads: number
  /** The same of stores that follow the stream by themselves, where there are any: they may be away while counting goes on. */
  readonly apart?: PollerStatus
}

/** Keeps derived data up to date from the change stream, sharing shards with other pollers by lease. */
export interface Poller extends AsyncDisposable {
  status(): PollerStatus
  /** Finishes the batches under way and gives the leases back. */
  close(): Promise<void>
}

/**
 * Starts to poll, round by round: all shards that are due are read, and what they gave is counted by one commit, so that they do
 * not fight for the counters of one product. Errors never end it: a shard that fails begins again from its checkpoint, with jitter.
 */
export function startPoller(options: PollerOptions): Poller {
  const polling = pollingOf(options)
  const { quietMs, gatherMs, clock } = polling
  const shards = new PolledShards(polling)
  const rounds = new CountingRounds(polling, shards)
  const ends = [new ShardTaker(polling, shards, randomUUID()).run(), rounds.run()]

  async function close(): Promise<void> {
    shards.close()
    await Promise.all(ends)
    await shards.dropAll()
  }

  return {
    status() {
      const momentMs = Math.max(quietMs, MOST_TIMES * gatherMs) + 1_000
      const lanes = shards.lanes.map((lane) => {
        const { shardId, caughtUpAt } = lane
        return { shardId, caughtUpAt, lagMs: lagOf(lane, clock(), momentMs) }
      })
      const lags = lanes.map(({ lagMs }) => lagMs)
      return {
        // Before the table knows it nothing is told of counts.
        caughtUpAt: rounds.isKnown ? shards.caughtUpAt : undefined,
        backlogReads: rounds.backlogReads,
        shards: lanes,
        others: shards.others,
        lagMs: lags.length === 0 || lags.includes(null) ? null : Math.max(...(lags as number[])),
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Behind by the age of the last record read, unless the shard was read to its end a moment ago and nothing is known since. */
function lagOf({ caughtUpAt, lastRecordAt }: ShardLane, now: number, momentMs: number): number | null {
  if (caughtUpAt === undefined && lastRecordAt === undefined) return null
  if (caughtUpAt !== undefined && now - caughtUpAt <= momentMs) return 0
  return Math.max(0, now - Math.max(caughtUpAt ?? 0, lastRecordAt ?? 0))
}
