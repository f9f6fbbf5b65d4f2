import type { Change } from '../derived/change.ts'
import { type FollowedTable, readCheckpoint } from '../stream/checkpoint.ts'
import { countDeadLetters } from '../stream/dead-letters.ts'
import { apartOf } from '../stream/followers.ts'
import { createShardReader } from '../stream/shard-reader.ts'
import { listShards, type Shard, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { Database } from './database.ts'
import { type FollowerReport, MOST_PENDING, type StreamReport } from './stream-report.ts'

/** AWS may give a short read, or an empty one, before there is more; this is as good as a report needs. */
const SHORT_READS = 2

/** Reads what every shard has waiting, up to {@link MOST_PENDING}. */
export async function readStreamReport(database: Database, streams: StreamsClient): Promise<StreamReport> {
  const { table, projections } = database
  const arn = await streamArn(table)
  const listed = await listShards(streams, arn)
  const stream = { streams, arn, listed, clock: database.clock }
  const counted = await reportOf(table, stream, ({ key }) => projections.some((each) => each.isItem(key)))
  const { copies: stores = [], follower } = apartOf(database) ?? {}
  const ofStores = (change: Change): boolean => stores.some((copy) => copy.concerns(change))
  const apart = follower === undefined ? undefined : await reportOf({ ...table, follower }, stream, ofStores)
  return { ...counted, apart, deadLetters: await countDeadLetters(table) }
}

interface ListedStream {
  readonly streams: StreamsClient
  readonly arn: string
  readonly listed: readonly Shard[]
  readonly clock: () => number
}

async function reportOf(
  table: FollowedTable,
  { streams, arn, listed, clock }: ListedStream,
  concerns: (change: Change) => boolean,
): Promise<FollowerReport> {
  const shards: FollowerReport['shards'][number][] = []
  let pending = 0
  let pendingSince: number | undefined
  for (const shard of listed) {
    const { shardId } = shard
    const { sequenceNumber, owner, leasedUntil, gap, finished } = await readCheckpoint(table, shardId)
    shards.push({ shardId, gap, owner: leasedUntil > clock() ? owner : undefined })
    if (finished || pending >= MOST_PENDING) continue
    const reader = createShardReader({ streams, arn, shard }, sequenceNumber)
    for (let short = 0; short < SHORT_READS && pending < MOST_PENDING; ) {
      const { changes, full, end } = await reader.next()
      const ofItems = changes.filter(concerns)
      pending += ofItems.length
      const [first] = ofItems
      if (first !== undefined) pendingSince = Math.min(first.at, pendingSince ?? first.at)
      if (end) break
      short = full ? 0 : short + 1
    }
  }
  return { shards, pending, pendingSince }
}
