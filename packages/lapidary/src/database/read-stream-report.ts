import { readCheckpoint } from '../stream/checkpoint.ts'
import { countDeadLetters } from '../stream/dead-letters.ts'
import { createShardReader } from '../stream/shard-reader.ts'
import { listShards, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { Database } from './database.ts'
import { MOST_PENDING, type StreamReport } from './stream-report.ts'

/** AWS may give a short read, or an empty one, before there is more; this is as good as a report needs. */
const SHORT_READS = 2

/** Reads what every shard has waiting, up to {@link MOST_PENDING}. */
export async function readStreamReport(
  { table, projections, clock }: Database,
  streams: StreamsClient,
): Promise<StreamReport> {
  const arn = await streamArn(table)
  const shards: StreamReport['shards'][number][] = []
  let pending = 0
  let pendingSince: number | undefined
  for (const shard of await listShards(streams, arn)) {
    const { shardId } = shard
    const { sequenceNumber, owner, leasedUntil, gap, finished } = await readCheckpoint(table, shardId)
    shards.push({ shardId, gap, owner: leasedUntil > clock() ? owner : undefined })
    if (finished || pending >= MOST_PENDING) continue
    const reader = createShardReader({ streams, arn, shard }, sequenceNumber)
    for (let short = 0; short < SHORT_READS && pending < MOST_PENDING; ) {
      const { changes, full, end } = await reader.next()
      const ofItems = changes.filter(({ key }) => projections.some((projection) => projection.isItem(key)))
      pending += ofItems.length
      const [first] = ofItems
      if (first !== undefined) pendingSince = Math.min(first.at, pendingSince ?? first.at)
      if (end) break
      short = full ? 0 : short + 1
    }
  }
  return { shards, pending, pendingSince, deadLetters: await countDeadLetters(table) }
}
