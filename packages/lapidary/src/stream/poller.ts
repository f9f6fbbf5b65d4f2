import { randomUUID } from 'node:crypto'
import type { Freshness } from '../derived/freshness.ts'
import { jitteredDelay } from '../table/retrying.ts'
import type { Batch } from './batch.ts'
import { type Checkpoint, checkpointKey, noteGap, readCheckpoint, readCheckpoints } from './checkpoint.ts'
import { noteStream } from './counted-stream.ts'
import { type Lease, leaseOf, watchLeases } from './lease.ts'
import { pauseUnless } from './pause-unless.ts'
import { isOutdated, type Runner } from './runner.ts'
import { ShardLane } from './shard-lane.ts'
import { listShards, type Shard, streamArn } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'

export interface PollerOptions {
  readonly streams: StreamsClient
  readonly runner: Runner
  /** Told up to when everything is counted, where this process has all shards. */
  readonly freshness?: Freshness
  /** Milliseconds between reads of a shard that has nothing new; AWS allows 5 reads a second. 200 when not given. */
  readonly idleMs?: number
  /**
   * Milliseconds between reads of a shard that has had nothing to count for a while; the first change makes them faster again.
   * `idleMs` when not given.
   */
  readonly quietMs?: number
  /**
   * Milliseconds between commits while changes keep coming: the longer, the more of them one write counts. The first change
   * after a lull does not wait. 500 when not given.
   */
  readonly gatherMs?: number
  /** Milliseconds after which another process may take over the shards of one that died. 6000 when not given. */
  readonly leaseMs?: number
  /** Milliseconds between looks for new shards. 10000 when not given. */
  readonly discoverMs?: number
  /** Told of errors that a lane goes on from. */
  readonly onError?: (error: unknown, shardId: string | undefined) => void
  readonly clock?: () => number
}

/** What a poller is doing. */
export interface PollerStatus {
  /** Milliseconds by which the slowest shard is behind; 0 when all that the stream tells is counted, null before the first read. */
  readonly lagMs: number | null
  readonly shards: readonly { readonly shardId: string; readonly lagMs: number | null }[]
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

/** Failures in a row after which a shard is given up, for another process to try; this one does not for as long as a lease is. */
const MOST_FAILURES = 10

/** A commit of many checkpoints may come later by so many times than one of one checkpoint. */
const MOST_TIMES = 3

/** A shard that takes longer to answer does not hold up the others. */
const SLOW_READ_MS = 1_000

/**
 * Starts to poll, round by round: all shards that are due are read, and what they gave is counted by one commit, so that they do
 * not fight for the counters of one product. Errors never end it: a shard that fails begins again from its checkpoint, with jitter.
 */
export function startPoller(options: PollerOptions): Poller {
  const { streams, runner, freshness } = options
  const { idleMs = 200, quietMs = idleMs, gatherMs = 500 } = options
  const { leaseMs = 6_000, discoverMs = 10_000, clock = Date.now } = options
  /** What a caller's own function throws ends nothing. */
  const onError = (error: unknown, shardId: string | undefined): void => {
    try {
      options.onError?.(error, shardId)
    } catch {}
  }
  const { table } = runner
  const owner = randomUUID()
  const lanes = new Map<string, ShardLane>()
  const finished = new Set<string>()
  /** Of shards that were given up or lost, how far they were known to be. */
  const dropped = new Map<string, Pick<ShardLane, 'caughtUpAt' | 'lastRecordAt'>>()
  /** Of shards that were given up, until when they are left to others. */
  const leftUntil = new Map<string, number>()
  const isDead = watchLeases(clock)
  const [betweenRounds, betweenLooks] = [createPause(), createPause()]
  let isClosing = false
  let openShards: readonly string[] = []
  let others: readonly string[] = []
  let listing: readonly Shard[] = []
  /** Shards that others follow. */
  let followed: ReadonlySet<string | undefined> = new Set()
  const forgotten = new Set<string>()
  /** The stream that is noted as the one that is counted. */
  let counted: string | undefined
  /** While changes keep coming, the next commit is not before. */
  let commitAt = 0
  let readAt = 0
  let backlogReads = 0

  async function count(): Promise<void> {
    while (!isClosing || uncounted().length > 0) {
      if (!isClosing) await readDue()
      await countOnce()
      await betweenRounds.pause(untilNext())
    }
  }

  const uncounted = (): ShardLane[] => [...lanes.values()].filter(({ batch }) => batch !== undefined)

  async function readDue(): Promise<void> {
    const now = clock()
    // By a clock that was put back nothing would be due until it is as late again.
    if (now < readAt) {
      commitAt = 0
      for (const lane of lanes.values()) lane.dueAt = 0
      leftUntil.clear()
    }
    readAt = now
    const due = [...lanes.values()].filter((lane) => !lane.isReading && lane.batch === undefined && lane.dueAt <= now)
    const inTime = new AbortController()
    void Promise.all(due.map((lane) => attempt(lane, () => read(lane)))).then(() => inTime.abort())
    await pauseUnless(inTime.signal, SLOW_READ_MS)
  }

  async function read(lane: ShardLane): Promise<void> {
    if (await lane.read()) backlogReads += 1
  }

  /** Counts what fits into one transaction; the rest goes into the next round. */
  async function countOnce(): Promise<void> {
    const all = uncounted()
    const kept = await Promise.all(all.map((lane) => attempt(lane, () => lane.lease.keep())))
    for (const [i, lane] of all.entries()) if (kept[i] === false) await drop(lane)
    const held = all.filter((_, i) => kept[i] === true)
    const { failures, lanes: counted, writes } = await runner.countNext(held.map(({ batch }) => batch as Batch))
    if (writes > 0) commitAt = clock() + gatherMs * timesOf(counted, writes)
    await Promise.all(held.map((lane) => attempt(lane, () => endRound(lane, failures.get(lane)))))
    const at = caughtUpAt()
    if (at === undefined) return
    freshness?.caughtUp(at)
    await runner.caughtUp().catch((error: unknown) => onError(error, undefined))
  }

  async function endRound(lane: ShardLane, failure: unknown): Promise<void> {
    if (failure !== undefined) throw failure
    if ((lane.batch?.changes.length ?? 0) > 0) return
    const state = await lane.endRound(commitAt)
    if (state === 'finished') noteFinished(lane.shardId)
    if (state !== 'open') await drop(lane)
  }

  async function attempt<T>(lane: ShardLane, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      // What is derived has changed: nothing of the lane went wrong.
      if (isOutdated(error)) {
        lane.beginAgain()
        return undefined
      }
      onError(error, lane.shardId)
      lane.fail()
      if (lane.failures < MOST_FAILURES) return undefined
      leftUntil.set(lane.shardId, clock() + leaseMs)
      await drop(lane)
      return undefined
    }
  }

  /** A shard that ends has children, which should not have to wait to be discovered. */
  async function drop(lane: ShardLane): Promise<void> {
    const { shardId, lease, caughtUpAt, lastRecordAt } = lane
    lanes.delete(shardId)
    if (!finished.has(shardId)) dropped.set(shardId, { caughtUpAt, lastRecordAt })
    betweenLooks.end()
    if (!finished.has(shardId)) await lease.release().catch((error: unknown) => onError(error, shardId))
  }

  /** Milliseconds until the next round. All shards that have had changes are read when the next commit is due. */
  function untilNext(): number {
    const idle = [...lanes.values()].filter(({ isReading }) => !isReading)
    if (idle.some(({ isBusy }) => isBusy)) return 0
    if (idle.length === 0) return idleMs
    const next = Math.max(commitAt, Math.min(...idle.map(({ dueAt }) => dueAt)))
    return Math.min(next - clock(), Math.max(quietMs, MOST_TIMES * gatherMs))
  }

  async function discover(): Promise<void> {
    for (let failures = 0; !isClosing; ) {
      try {
        // Asked anew each time: a stream that was switched off and on again is another stream.
        const arn = await streamArn(table)
        const shards = await listShards(streams, arn, forgotten)
        if (arn !== counted && shards.length > 0) {
          const stream = await noteStream(table, arn, shards)
          if (stream === 'another') freshness?.doubt()
          if (stream !== 'earlier') counted = arn
          // Of an earlier stream nothing is counted any more.
          for (const lane of [...lanes.values()]) if (lane.arn !== counted) await drop(lane)
        }
        if (arn === counted) await takeShards(arn, shards)
        failures = 0
        const waiting = openShards.some((shardId) => !lanes.has(shardId))
        await betweenLooks.pause(waiting || lanes.size === 0 ? Math.min(discoverMs, leaseMs / 4) : discoverMs)
      } catch (error) {
        failures += 1
        onError(error, undefined)
        await betweenLooks.pause(100 + jitteredDelay(failures, table.random))
      }
    }
  }

  async function takeShards(arn: string, shards: readonly Shard[]): Promise<void> {
    listing = shards
    followed = new Set(shards.map(({ parentShardId }) => parentShardId))
    const open: string[] = []
    const leased: string[] = []
    const unknown = shards.filter(({ shardId }) => !lanes.has(shardId) && !finished.has(shardId))
    const checkpoints = await readCheckpoints(table, unknown)
    for (const shard of shards) {
      if (isClosing) return
      const checkpoint = checkpoints.get(shard.shardId)
      // One that can't be taken now does not hold up the others.
      const isOpen = await takeShard(arn, shard, checkpoint).catch((error: unknown) => {
        onError(error, shard.shardId)
        return true
      })
      if (isOpen) open.push(shard.shardId)
      if (isOpen && !lanes.has(shard.shardId) && (checkpoint?.leasedUntil ?? 0) >= clock()) leased.push(shard.shardId)
    }
    openShards = open
    others = leased
  }

  /** Whether the shard is still to be processed to its end, here or by another process. */
  async function takeShard(arn: string, shard: Shard, checkpoint: Checkpoint | undefined): Promise<boolean> {
    const { shardId, parentShardId } = shard
    if (checkpoint?.gap === true) freshness?.doubt()
    if (checkpoint?.finished === true) noteFinished(shardId)
    if (finished.has(shardId)) return false
    if (checkpoint === undefined || lanes.has(shardId) || (leftUntil.get(shardId) ?? 0) > clock()) return true
    // The attempt to take a lease that another process holds would be a write, refused and billed.
    const dead = isDead(shardId, checkpoint) ? checkpoint : undefined
    if (checkpoint.owner !== undefined && checkpoint.leasedUntil >= clock() && dead === undefined) return true
    const parentFinished = parentShardId === undefined || (await isFinished(parentShardId))
    if (!parentFinished && listing.some((listed) => listed.shardId === parentShardId)) return true
    const lease = leaseOf(table, { key: checkpointKey(shardId, table.follower), owner, leaseMs, clock })
    if (!(await lease.renew(dead))) return true
    // The stream forgot the parent before any process had read it to its end; noted once, even if a rebuild has seen to it.
    if (!parentFinished && (await isNew(shardId)) && !(await isPassed(shardId))) {
      freshness?.doubt()
      // The lane would win the lease back, and count on as if nothing was lost.
      if (!(await noteGap(table, shardId, owner))) return true
    }
    startLane(arn, shard, lease)
    return true
  }

  /** Whether nothing of a shard was counted, and no loss of it noted. */
  async function isNew(shardId: string): Promise<boolean> {
    const { sequenceNumber, gaps } = await readCheckpoint(table, shardId)
    return sequenceNumber === undefined && gaps === 0
  }

  /**
   * Whether Lambda has counted something of a later shard of the same line: then this one was counted, to its end, whatever its
   * checkpoint says. Lambda goes on to the next shard without a word. (A repair may have ended a later one in which there was nothing.)
   */
  async function isPassed(shardId: string): Promise<boolean> {
    for (const child of listing) {
      if (child.parentShardId !== shardId) continue
      if ((await readCheckpoint(table, child.shardId)).byLambda || (await isPassed(child.shardId))) return true
    }
    return false
  }

  async function isFinished(shardId: string): Promise<boolean> {
    if (finished.has(shardId)) return true
    if ((await readCheckpoint(table, shardId)).finished) noteFinished(shardId)
    return finished.has(shardId)
  }

  function noteFinished(shardId: string): void {
    finished.add(shardId)
    dropped.delete(shardId)
  }

  function startLane(arn: string, shard: Shard, lease: Lease): void {
    const { shardId } = shard
    const lane = new ShardLane({
      ...{ runner, lease, idleMs, quietMs, clock, source: { streams, arn, shard } },
      isPassed: () => isPassed(shardId),
      isFollowed: () => followed.has(shardId),
      onGap: () => freshness?.doubt(),
    })
    lane.caughtUpAt = dropped.get(shardId)?.caughtUpAt
    lane.lastRecordAt = dropped.get(shardId)?.lastRecordAt
    lanes.set(shardId, lane)
    betweenRounds.end()
  }

  function caughtUpAt(): number | undefined {
    const times = openShards.map((shardId) => lanes.get(shardId)?.caughtUpAt)
    return times.length > 0 && times.every((time) => time !== undefined) ? Math.min(...times) : undefined
  }

  const [discovering, counting] = [discover(), count()]

  async function close(): Promise<void> {
    isClosing = true
    for (const each of [betweenRounds, betweenLooks]) each.end()
    await Promise.all([discovering, counting])
    await Promise.all([...lanes.values()].map(drop))
  }

  return {
    status() {
      const shards = [...lanes.values()].map((state) => ({
        shardId: state.shardId,
        lagMs: lagOf(state, clock(), Math.max(quietMs, MOST_TIMES * gatherMs) + 1_000),
      }))
      const lags = shards.map(({ lagMs }) => lagMs)
      return {
        caughtUpAt: caughtUpAt(),
        backlogReads,
        shards,
        others,
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

/** The checkpoints of many shards cost as much as counters do. What they cost a change stays the same when they move less often. */
function timesOf(lanes: number, writes: number): number {
  const withOne = writes - lanes + 1
  return Math.min(MOST_TIMES, Math.max(1, writes / Math.max(1, withOne)))
}

/** A pause that can be ended; one that was ended before it began is over at once. */
function createPause(): { pause(ms: number): Promise<void>; end(): void } {
  let isOver = new AbortController()
  return {
    async pause(ms) {
      await pauseUnless(isOver.signal, ms)
      isOver = new AbortController()
    },
    end: () => isOver.abort(),
  }
}
