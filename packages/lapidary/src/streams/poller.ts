import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { jitteredDelay } from '../table/table-client.ts'
import { acquireLease, finishShard, noteGap, readCheckpoint, releaseLease } from './checkpoint.ts'
import type { Freshness } from './freshness.ts'
import type { Lane, Runner } from './runner.ts'
import { createShardReader } from './shard-reader.ts'
import { listShards, type Shard, streamArn } from './shards.ts'

export interface PollerOptions {
  readonly streams: DynamoDBStreamsClient
  readonly runner: Runner
  /** Told when everything written so far is counted; only where this process has all shards. */
  readonly freshness?: Freshness
  /** Milliseconds between reads of a shard that has nothing new; AWS allows 5 reads a second. 200 when not given. */
  readonly idleMs?: number
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
  /** Milliseconds by which the slowest shard is behind; 0 when all that was written is counted, null before the first read. */
  readonly lagMs: number | null
  readonly shards: readonly { readonly shardId: string; readonly lagMs: number | null }[]
}

/** Keeps derived data up to date from the change stream, sharing shards with other pollers by lease. */
export interface Poller extends AsyncDisposable {
  status(): PollerStatus
  /** Finishes the batches under way and gives the leases back. */
  close(): Promise<void>
}

/** How often a checkpoint moves over records that change nothing; the stream keeps them for 24 hours. */
const ADVANCE_MS = 15 * 60_000

interface LaneState {
  readonly shardId: string
  readonly done: Promise<void>
  /** When the last read began that found nothing new. */
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
    leaseMs = 6_000,
    discoverMs = 10_000,
    onError,
    clock = Date.now,
  } = options
  const { table } = runner
  const owner = randomUUID()
  const stop = new AbortController()
  const lanes = new Map<string, LaneState>()
  const finished = new Set<string>()
  let openShards: readonly string[] = []

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)

  async function discover(): Promise<void> {
    let arn: string | undefined
    let failures = 0
    while (!stop.signal.aborted) {
      try {
        arn ??= await streamArn(table)
        await takeShards(arn, await listShards(streams, arn))
        failures = 0
        await pause(lanes.size === 0 ? Math.min(discoverMs, leaseMs / 4) : discoverMs)
      } catch (error) {
        arn = undefined
        failures += 1
        onError?.(error, undefined)
        await pause(100 + jitteredDelay(failures, table.random))
      }
    }
  }

  async function takeShards(arn: string, shards: readonly Shard[]): Promise<void> {
    const known = new Set(shards.map(({ shardId }) => shardId))
    const open: string[] = []
    for (const { shardId, parentShardId } of shards) {
      if (stop.signal.aborted) return
      if (lanes.has(shardId)) open.push(shardId)
      if (lanes.has(shardId) || finished.has(shardId)) continue
      if (parentShardId !== undefined && known.has(parentShardId) && !(await isFinished(parentShardId))) {
        open.push(shardId)
        continue
      }
      if (await isFinished(shardId)) continue
      open.push(shardId)
      const now = clock()
      if (await acquireLease(table, shardId, { owner, now, until: now + leaseMs })) startLane(arn, shardId)
    }
    openShards = open
  }

  async function isFinished(shardId: string): Promise<boolean> {
    if (finished.has(shardId)) return true
    const checkpoint = await readCheckpoint(table, shardId)
    if (checkpoint.finished) finished.add(shardId)
    return checkpoint.finished
  }

  function startLane(arn: string, shardId: string): void {
    const state: LaneState = { shardId, caughtUpAt: undefined, lastRecordAt: undefined, done: Promise.resolve() }
    const done = runLane(arn, state)
      .catch((error) => onError?.(error, shardId))
      .finally(() => lanes.delete(shardId))
    lanes.set(shardId, Object.assign(state, { done }))
  }

  async function runLane(arn: string, state: LaneState): Promise<void> {
    const { shardId } = state
    const { sequenceNumber } = await readCheckpoint(table, shardId)
    const lane: Lane = { shardId, owner, sequenceNumber }
    const reader = createShardReader(streams, arn, shardId, sequenceNumber)
    let leasedUntil = clock()
    let advancedAt = leasedUntil
    try {
      while (!stop.signal.aborted) {
        const now = clock()
        if (now > leasedUntil - (leaseMs * 2) / 3) {
          if (!(await acquireLease(table, shardId, { owner, now, until: now + leaseMs }))) return
          leasedUntil = now + leaseMs
        }
        const batch = await reader.next()
        if (batch.gap) await noteGap(table, shardId, owner)
        await runner.apply(lane, batch.changes)
        if (batch.changes.length > 0) advancedAt = now
        if (batch.last !== undefined && now - advancedAt > ADVANCE_MS) {
          await runner.advance(lane, batch.last)
          advancedAt = now
        }
        state.lastRecordAt = batch.changes.at(-1)?.at ?? state.lastRecordAt
        if (batch.records === 0) caughtUp(state, now)
        if (batch.end) {
          await finishShard(table, shardId, owner)
          finished.add(shardId)
          return
        }
        if (batch.records === 0) await pause(idleMs)
      }
    } catch (error) {
      onError?.(error, shardId)
      await pause(50 + jitteredDelay(3, table.random))
    } finally {
      await releaseLease(table, shardId, owner).catch((error: unknown) => onError?.(error, shardId))
    }
  }

  function caughtUp(state: LaneState, at: number): void {
    state.caughtUpAt = at
    const times = openShards.map((shardId) => lanes.get(shardId)?.caughtUpAt)
    if (times.length > 0 && times.every((time) => time !== undefined)) freshness?.caughtUp(Math.min(...times))
  }

  const discovery = discover()

  async function close(): Promise<void> {
    stop.abort()
    await discovery
    await Promise.all([...lanes.values()].map(({ done }) => done))
  }

  return {
    status() {
      const shards = [...lanes.values()].map((state) => ({
        shardId: state.shardId,
        lagMs: lagOf(state, clock(), idleMs),
      }))
      const lags = shards.map(({ lagMs }) => lagMs)
      return { shards, lagMs: lags.length === 0 || lags.includes(null) ? null : Math.max(...(lags as number[])) }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Behind by the age of the last record read, unless the shard was read to its end a moment ago. */
function lagOf({ caughtUpAt, lastRecordAt }: LaneState, now: number, idleMs: number): number | null {
  if (caughtUpAt === undefined && lastRecordAt === undefined) return null
  if (caughtUpAt !== undefined && now - caughtUpAt <= idleMs * 5 + 1_000) return 0
  return Math.max(0, now - Math.max(caughtUpAt ?? 0, lastRecordAt ?? 0))
}
