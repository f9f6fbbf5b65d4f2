import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Freshness } from '../derived/freshness.ts'
import { jitteredDelay } from '../table/retrying.ts'
import { checkpointKey, noteGap, readCheckpoint } from './checkpoint.ts'
import { pauseUnless } from './follow-shard.ts'
import { createGathering } from './gathering.ts'
import { type Lease, leaseOf } from './lease.ts'
import type { Runner } from './runner.ts'
import { runShardLane } from './shard-lane.ts'
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
  /**
   * Short reads in a row for a shard to be taken to be read to its end. AWS may give one, or none, before there is more; an
   * emulator does not, so 1 will do there. 3 when not given.
   */
  readonly endReads?: number
  /** Milliseconds between looks for new shards. 10000 when not given. */
  readonly discoverMs?: number
  /** Told of errors that a lane goes on from. */
  readonly onError?: (error: unknown, shardId: string | undefined) => void
  readonly clock?: () => number
}

/** What a poller is doing. */
export interface PollerStatus {
  /** Milliseconds by which the slowest shard is behind; 0 when all that was written is counted, null before the first read. */
  readonly lagMs: number | null
  readonly shards: readonly { readonly shardId: string; readonly lagMs: number | null }[]
  /**
   * Whatever the stream had told of before is counted, in milliseconds since 1970; undefined while this process has not read all
   * shards to their ends. AWS may tell of a write seconds later.
   */
  readonly caughtUpAt: number | undefined
}

/** Keeps derived data up to date from the change stream, sharing shards with other pollers by lease. */
export interface Poller extends AsyncDisposable {
  status(): PollerStatus
  /** Finishes the batches under way and gives the leases back. */
  close(): Promise<void>
}

interface LaneState {
  readonly shardId: string
  readonly done: Promise<void>
  /** When the last read began that reached the shard's end. */
  caughtUpAt: number | undefined
  /** When the last record that was read was written. */
  lastRecordAt: number | undefined
}

/** Starts to poll. Errors never end it: a lane that fails goes on from its checkpoint, with jitter. */
export function startPoller(options: PollerOptions): Poller {
  const {
    streams,
    runner,
    freshness,
    idleMs = 200,
    quietMs = idleMs,
    gatherMs = 500,
    leaseMs = 6_000,
    discoverMs = 10_000,
    endReads = 3,
    clock = Date.now,
  } = options
  /** What a caller's own function throws ends nothing. */
  const onError = (error: unknown, shardId: string | undefined): void => {
    try {
      options.onError?.(error, shardId)
    } catch {}
  }
  const { table } = runner
  const owner = randomUUID()
  const stop = new AbortController()
  // Each lane waits on it, and there may be many.
  setMaxListeners(0, stop.signal)
  const gathering = createGathering({ runner, gatherMs, clock, signal: stop.signal })
  const lanes = new Map<string, LaneState>()
  const finished = new Set<string>()
  let openShards: readonly string[] = []
  let listing: readonly Shard[] = []

  /** A shard that ends has children, which should not have to wait to be discovered. */
  let rest = new AbortController()
  const pauseUnlessWoken = async (ms: number): Promise<void> => {
    await pauseUnless(rest.signal, ms)
    rest = new AbortController()
  }

  async function discover(): Promise<void> {
    let failures = 0
    while (!stop.signal.aborted) {
      try {
        // Asked anew each time: a stream that was switched off and on again is another stream.
        const arn = await streamArn(table)
        await takeShards(arn, await listShards(streams, arn))
        failures = 0
        const waiting = openShards.some((shardId) => !lanes.has(shardId))
        await pauseUnlessWoken(waiting || lanes.size === 0 ? Math.min(discoverMs, leaseMs / 4) : discoverMs)
      } catch (error) {
        failures += 1
        onError(error, undefined)
        await pauseUnless(stop.signal, 100 + jitteredDelay(failures, table.random))
      }
    }
  }

  async function takeShards(arn: string, shards: readonly Shard[]): Promise<void> {
    listing = shards
    const open: string[] = []
    for (const shard of shards) {
      if (stop.signal.aborted) return
      // One that can't be taken now does not hold up the others.
      const isOpen = await takeShard(arn, shard).catch((error: unknown) => {
        onError(error, shard.shardId)
        return true
      })
      if (isOpen) open.push(shard.shardId)
    }
    openShards = open
  }

  /** Whether the shard is still to be processed to its end, here or by another process. */
  async function takeShard(arn: string, shard: Shard): Promise<boolean> {
    const { shardId, parentShardId } = shard
    if (lanes.has(shardId)) return true
    if (finished.has(shardId)) return false
    const checkpoint = await readCheckpoint(table, shardId)
    if (checkpoint.gap) freshness?.doubt()
    if (checkpoint.finished) {
      finished.add(shardId)
      return false
    }
    // The attempt to take a lease that another process holds would be a write, refused and billed.
    if (checkpoint.owner !== undefined && checkpoint.leasedUntil >= clock()) return true
    const parentFinished = parentShardId === undefined || (await isFinished(parentShardId))
    if (!parentFinished && listing.some((listed) => listed.shardId === parentShardId)) return true
    const lease = leaseOf(table, { key: checkpointKey(shardId), owner, leaseMs, clock })
    if (!(await lease.renew())) return true
    // The stream forgot the parent before any process had read it to its end; noted once, even if a rebuild has seen to it.
    const isNew = checkpoint.sequenceNumber === undefined && checkpoint.gaps === 0
    if (!parentFinished && isNew && !(await isPassed(shardId))) {
      freshness?.doubt()
      await noteGap(table, shardId, owner)
    }
    startLane(arn, shard, lease)
    return true
  }

  /**
   * Whether a later shard of the same line is counted: then this one was, to its end, whatever its checkpoint says. Lambda
   * goes on to the next shard without a word.
   */
  async function isPassed(shardId: string): Promise<boolean> {
    for (const child of listing) {
      if (child.parentShardId !== shardId) continue
      const { sequenceNumber, finished: isOver } = await readCheckpoint(table, child.shardId)
      if (sequenceNumber !== undefined || isOver || (await isPassed(child.shardId))) return true
    }
    return false
  }

  async function isFinished(shardId: string): Promise<boolean> {
    if (finished.has(shardId)) return true
    const checkpoint = await readCheckpoint(table, shardId)
    if (checkpoint.finished) finished.add(shardId)
    return checkpoint.finished
  }

  function startLane(arn: string, shard: Shard, lease: Lease): void {
    const { shardId } = shard
    const state: LaneState = { shardId, caughtUpAt: undefined, lastRecordAt: undefined, done: Promise.resolve() }
    const done = runLane(arn, shard, state, lease).finally(() => {
      lanes.delete(shardId)
      rest.abort()
    })
    lanes.set(shardId, Object.assign(state, { done }))
  }

  async function runLane(arn: string, { shardId, start }: Shard, state: LaneState, lease: Lease): Promise<void> {
    const report = (error: unknown): void => onError(error, shardId)
    const hasEnded = await runShardLane({
      ...{ streams, runner, gathering, arn, shardId, start, lease, idleMs, quietMs, endReads, clock },
      signal: stop.signal,
      onError: report,
      isPassed: () => isPassed(shardId),
      onGap: () => freshness?.doubt(),
      onRead({ caughtUpAt, changes }, counted) {
        if (caughtUpAt !== undefined) caughtUp(state, caughtUpAt)
        // Records that change nothing, such as those of derived data, do not say that counts are behind.
        else if (counted) state.lastRecordAt = changes.at(-1)?.at ?? state.lastRecordAt
      },
    }).catch(report)
    if (hasEnded === true) finished.add(shardId)
    else await lease.release().catch(report)
  }

  function caughtUp(state: LaneState, at: number): void {
    state.caughtUpAt = at
    const all = caughtUpAt()
    if (all !== undefined) freshness?.caughtUp(all)
  }

  function caughtUpAt(): number | undefined {
    const times = openShards.map((shardId) => lanes.get(shardId)?.caughtUpAt)
    return times.length > 0 && times.every((time) => time !== undefined) ? Math.min(...times) : undefined
  }

  const discovery = discover()

  async function close(): Promise<void> {
    stop.abort()
    rest.abort()
    await discovery
    await Promise.all([...lanes.values()].map(({ done }) => done))
  }

  return {
    status() {
      const shards = [...lanes.values()].map((state) => ({
        shardId: state.shardId,
        lagMs: lagOf(state, clock(), Math.max(quietMs, gatherMs) * Math.max(2, endReads) + 1_000),
      }))
      const lags = shards.map(({ lagMs }) => lagMs)
      return {
        caughtUpAt: caughtUpAt(),
        shards,
        lagMs: lags.length === 0 || lags.includes(null) ? null : Math.max(...(lags as number[])),
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Behind by the age of the last record read, unless the shard was read to its end a moment ago and nothing is known since. */
function lagOf({ caughtUpAt, lastRecordAt }: LaneState, now: number, momentMs: number): number | null {
  if (caughtUpAt === undefined && lastRecordAt === undefined) return null
  if (caughtUpAt !== undefined && now - caughtUpAt <= momentMs) return 0
  return Math.max(0, now - Math.max(caughtUpAt ?? 0, lastRecordAt ?? 0))
}
