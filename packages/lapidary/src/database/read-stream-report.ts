import type { Change } from '../derived/change.ts'
import { copiesOf, sumsOf } from '../derived/projection.ts'
import { type FollowedTable, readCheckpoint } from '../stream/checkpoint.ts'
import { countDeadLetters } from '../stream/dead-letters.ts'
import { describeChange, isEffective } from '../stream/described-change.ts'
import { apartOf, countedOf } from '../stream/followers.ts'
import { readsOf } from '../stream/shard-reader.ts'
import { listShards, type Shard, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import type { Database } from './database.ts'
import { type FollowerReport, MOST_PENDING, type StreamReport } from './stream-report.ts'

/** Reads what every shard has waiting, up to {@link MOST_PENDING}. */
export async function readStreamReport(database: Database, streams: StreamsClient): Promise<StreamReport> {
  const { table } = database
  const copies = copiesOf(countedOf(database.projections))
  const sums = sumsOf(await database.shapes.registered(['filling', 'ready']))
  const arn = await streamArn(table)
  const listed = await listShards(streams, arn)
  const stream = { streams, arn, listed, clock: database.clock }
  // A checkpoint stays behind what changes nothing, which does not wait to be counted.
  const isToCount = (change: Change): boolean => isEffective(describeChange(change, sums), copies)
  const counted = await reportOf(table, stream, isToCount)
  const apart: FollowerReport[] = []
  for (const { projections, follower } of apartOf(database.projections)) {
    const ofStore = ({ key }: Change): boolean => projections.some((each) => each.isItem(key))
    apart.push(await reportOf({ ...table, follower }, stream, ofStore))
  }
  return { ...counted, apart: sumOf(apart), deadLetters: await countDeadLetters(table) }
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
    shards.push({ shardId, gap, owner: leasedUntil > clock() ? owner : undefined, sequenceNumber })
    if (finished || pending >= MOST_PENDING) continue
    for await (const { changes } of readsOf({ streams, arn, shard }, sequenceNumber)) {
      const ofItems = changes.filter(concerns)
      pending += ofItems.length
      const [first] = ofItems
      if (first !== undefined) pendingSince = Math.min(first.at, pendingSince ?? first.at)
      if (pending >= MOST_PENDING) break
    }
  }
  return { shards, pending, pendingSince }
}

function sumOf(reports: readonly FollowerReport[]): FollowerReport | undefined {
  if (reports.length === 0) return undefined
  const times = reports.flatMap(({ pendingSince }) => pendingSince ?? [])
  return {
    shards: reports.flatMap(({ shards }) => shards),
    pending: Math.min(
      MOST_PENDING,
      reports.reduce((sum, { pending }) => sum + pending, 0),
    ),
    pendingSince: times.length === 0 ? undefined : Math.min(...times),
  }
}
