import type { CopyProjection } from '../derived/copy-projection.ts'
import { isRegistered } from '../derived/projection.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import { projectionShape } from '../derived/register/shape.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { checkpointOf, countedShard, requireRevision } from '../stream/checkpoint.ts'
import { isUnreadable } from '../stream/counted-stream.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { TableClient } from '../table/table-client.ts'

interface KeptTable {
  readonly table: TableClient
  readonly shapes: Pick<KeptShapes, 'beginFilling' | 'markReady' | 'caughtUp'>
  streams(): Promise<StreamsClient>
}

/** Copies that every process keeps while they are made. */
export interface KeptSince {
  /** The revision of the register from which on every process keeps them. */
  readonly revision: number
  /** Told of what a scan sees: a shard may have been counted meanwhile that was not listed. */
  see(entries: readonly Entry[]): void
  /** They hold every item now. @throws {LapidaryError} `unavailable` where a process that does not keep them has counted meanwhile. */
  finish(): Promise<void>
}

/** Sees to it that every process keeps copies in the table, from before they are read or made on. */
export async function keepSince(
  { table, shapes, streams }: KeptTable,
  made: readonly CopyProjection[],
): Promise<KeptSince> {
  const kept = made.filter(isRegistered)
  const keptShapes = kept.map(projectionShape)
  const revision = await shapes.beginFilling(keptShapes)
  const late = new Set<string>()
  if (kept.length > 0) {
    // From here on no process counts that does not keep them.
    await whereStreamed(async () => {
      for (const { shardId } of await listShards(await streams(), await streamArn(table))) {
        await requireRevision(table, shardId, revision)
      }
    })
  }
  return {
    revision,
    see(entries) {
      for (const shardId of kept.length === 0 ? [] : countedBefore(entries, revision)) late.add(shardId)
    },
    async finish() {
      for (const shardId of late) await requireRevision(table, shardId, revision)
      if (late.size > 0) {
        const what = [...new Set(kept.map(({ name, collection }) => `${name} of ${collection}`))].join(', ')
        const message = `${[...late].join(', ')} was counted meanwhile by a process that does not keep ${what}; run it again`
        throw new LapidaryError('unavailable', message)
      }
      await shapes.markReady(keptShapes, revision)
      // They hold what the stream had told of, and more.
      if (kept.length > 0) await shapes.caughtUp()
    },
  }
}

/** Who may not read the stream, or has none, makes copies all the same: then no process counts. */
export async function whereStreamed(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isUnreadable(error) && !(error instanceof LapidaryError && error.code === 'table_mismatch')) throw error
  }
}

/** Shards that a scan saw counted by an earlier revision of the register. */
function countedBefore(entries: readonly Entry[], revision: number): readonly string[] {
  return entries.flatMap((entry) => {
    const shardId = countedShard(plainKeyOf(entry).PK)
    const { register, finished } = checkpointOf(entry)
    return shardId === undefined || finished || register >= revision ? [] : [shardId]
  })
}
