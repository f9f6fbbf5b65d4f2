import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/target-key.ts'
import { LapidaryError } from '../model/errors.ts'
import { WHOLE } from '../model/reserved-keys.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { readEntry } from '../table/read-entries.ts'
import { answering } from './answering.ts'
import { type FollowedTable, readCheckpoints } from './checkpoint.ts'
import { updateIf } from './lease.ts'
import { Lineage } from './lineage.ts'
import type { Poller } from './poller.ts'
import { listShards, streamArn } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'
import { waitUntil } from './wait-until.ts'

const LOOK_MS = 1_000
/** The stream may give nothing before there is more: what was waiting is counted where no read has given much for so long. */
const QUIET_MS = 2_000
/** A deployment that has given up its schedule is one that never had any after a week. */
const KEPT_SECONDS = 7 * 86_400
/**
 * Shards close after some four hours, and are known for a day from then on. So what was lost of one that is forgotten was written
 * before the last heartbeat that found it, or those before it, counted to the end: 20 hours ago, less some that a clock or a look may be off.
 */
const MOST_SILENCE_MS = 18 * 3_600_000

/** A poller at work, and whose checkpoints it moves. */
export interface CatchingUp {
  readonly table: FollowedTable
  readonly streams: StreamsClient
  readonly poller: Poller
  readonly clock: () => number
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits until a poller has counted what is waiting, each shard that others follow to its end, and notes when that was. So a shard without a
 * change is known to be one, where Lambda, which hears of nothing, would not tell it from one that was lost.
 *
 * @throws {LapidaryError} `unavailable` when nothing of what is left is counted for a minute; `aborted`.
 */
export async function catchUp({ table, poller, clock, now, signal, ...given }: CatchingUp): Promise<void> {
  const began = clock()
  const streams = answering(given.streams, { signal })
  let behind: readonly string[] = []
  const forgotten = new Set<string>()
  const finished = new Set<string>()
  /** Since when a poller has found no more in a shard than one read gives. */
  const quietSince = new Map<string, number>()
  /** Whether a poller has found no more in a shard than one read gives, for a while. */
  const isQuiet = (shardId: string, lagMs: number | null): boolean => {
    if (lagMs !== 0) quietSince.delete(shardId)
    else if (!quietSince.has(shardId)) quietSince.set(shardId, now())
    return now() - (quietSince.get(shardId) ?? now()) >= QUIET_MS
  }
  await waitUntil({
    async left() {
      signal?.throwIfAborted()
      const lineage = new Lineage(await listShards(streams, await streamArn(table), forgotten))
      const unfinished = lineage.shards.filter(({ shardId }) => !finished.has(shardId))
      const checkpoints = await readCheckpoints(table, unfinished)
      for (const [shardId, checkpoint] of checkpoints) if (checkpoint.finished) finished.add(shardId)
      const { shards, backlogReads } = poller.status()
      const lags = new Map(shards.map(({ shardId, lagMs }) => [shardId, lagMs]))
      const isDone = (shardId: string): boolean => {
        if (finished.has(shardId) || lineage.isFollowed(shardId)) return finished.has(shardId)
        const lagMs = lags.get(shardId)
        // Another process that has the shard counts it.
        return lagMs === undefined ? (checkpoints.get(shardId)?.leasedUntil ?? 0) > clock() : isQuiet(shardId, lagMs)
      }
      behind = unfinished.map(({ shardId }) => shardId).filter((shardId) => !isDone(shardId))
      if (behind.length === 0) return undefined
      return JSON.stringify([
        backlogReads,
        behind.map((shardId) => [shardId, checkpoints.get(shardId)?.sequenceNumber]),
      ])
    },
    pause: () => table.sleep(LOOK_MS),
    now,
    gaveUp: () =>
      `the change stream is not counted to its end: nothing of ${behind.join(', ')} was counted for a minute; run it again`,
  }).catch((cause: unknown) => {
    if (signal?.aborted !== true) throw cause
    throw new LapidaryError('aborted', 'it was stopped; run it again to go on', { cause })
  })
  await noteHeartbeat(table, began)
}

/** Whether there were heartbeats, and has been none for so long that shards may be forgotten that held what was never counted. */
export async function isSilent(table: FollowedTable, now: number): Promise<boolean> {
  const at = (await readEntry(table, keyEntry(heartbeatKey(table))))?.caughtUpAt?.N
  return now - Number(at ?? now) > MOST_SILENCE_MS
}

async function noteHeartbeat(table: FollowedTable, at: number): Promise<void> {
  const expires = String(Math.floor(at / 1000) + KEPT_SECONDS)
  await updateIf(table, heartbeatKey(table), {
    UpdateExpression: 'SET caughtUpAt = :at, #ttl = :expires',
    ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
    ExpressionAttributeValues: { ':at': { N: String(at) }, ':expires': { N: expires } },
  })
}

function heartbeatKey({ follower }: FollowedTable): TargetKey {
  return { PK: '~HEARTBEAT', SK: follower ?? WHOLE }
}
