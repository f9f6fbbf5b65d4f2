import { readCheckpoint } from '../stream/checkpoint.ts'
import { followShard } from '../stream/follow-shard.ts'
import { countPoison } from '../stream/poison.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { Database } from './database.ts'
import { MOST_PENDING, type StreamReport } from './stream-report.ts'

const END_READS = 2

/** Reads what every shard has waiting, up to {@link MOST_PENDING}. */
export async function readStreamReport(
  { table, projections, clock }: Database,
  streams: StreamsClient,
): Promise<StreamReport> {
  const { signal } = new AbortController()
  const arn = await streamArn(table)
  const shards: StreamReport['shards'][number][] = []
  let pending = 0
  let pendingSince: number | undefined
  for (const { shardId } of await listShards(streams, arn)) {
    const { sequenceNumber, owner, leasedUntil, gap, finished } = await readCheckpoint(table, shardId)
    shards.push({ shardId, gap, owner: leasedUntil > clock() ? owner : undefined })
    if (finished || pending >= MOST_PENDING) continue
    const reads = followShard({
      ...{ streams, arn, shardId, after: sequenceNumber, endReads: END_READS, clock },
      ...{ pauseAfter: () => 0, signal },
    })
    for await (const { changes, caughtUpAt } of reads) {
      const ofItems = changes.filter(({ key }) => projections.some((projection) => projection.isItem(key)))
      pending += ofItems.length
      const [first] = ofItems
      if (first !== undefined) pendingSince = Math.min(first.at, pendingSince ?? first.at)
      if (caughtUpAt !== undefined || pending >= MOST_PENDING) break
    }
  }
  return { shards, pending, pendingSince, poison: await countPoison(table) }
}
