import type { DescribeStreamCommandInput, Shard } from '@aws-sdk/client-dynamodb-streams'
import type { ShardLog, StreamShard, StreamWorld } from './shard-log.ts'

/** The most shards of a page: AWS gives up to 100 (API Reference, DescribeStream); with few the tests meet several pages. */
const MOST_OF_A_PAGE = 5

/** One answer of DescribeStream about the shards. */
export interface ShardListing {
  readonly Shards: Shard[]
  readonly LastEvaluatedShardId?: string
}

export function describeShards(
  { shards }: ShardLog,
  { ExclusiveStartShardId = '', Limit = MOST_OF_A_PAGE, ShardFilter }: DescribeStreamCommandInput,
  { random, seconds, note }: StreamWorld,
): ShardListing {
  const now = seconds()
  const isListed = ({ listedAt }: StreamShard): boolean => listedAt <= now
  const isAsked = ({ parent }: StreamShard): boolean =>
    ShardFilter?.Type !== 'CHILD_SHARDS' || parent?.shardId === ShardFilter.ShardId
  const listed = shards
    .filter((shard) => isListed(shard) && isAsked(shard) && shard.shardId > ExclusiveStartShardId)
    .toSorted((a, b) => (a.shardId < b.shardId ? -1 : 1))
  const page = listed.slice(0, Math.min(Limit, MOST_OF_A_PAGE))
  for (const shard of page) {
    const children = shards.filter(({ parent }) => parent === shard)
    const shown = children.filter(isListed).length
    if (shown < children.length) note(shown === 0 ? 'childless' : 'halved')
    if (shown > 0 && !isEndListed(shard, now)) note('openParent')
  }
  const last = page.at(-1)?.shardId
  // "If LastEvaluatedShardId is not empty, it does not necessarily mean that there is more data" (API Reference, StreamDescription).
  const isLast = page.length === listed.length
  const promises = last !== undefined && (!isLast || (page.length > 1 && random() < 0.1))
  if (isLast && promises) note('emptyListing')
  return {
    Shards: page.map((shard) => describedShard(shard, now)),
    ...(promises ? { LastEvaluatedShardId: last } : {}),
  }
}

/**
 * Tells whether DescribeStream shows the end of a shard. A parent may seem open although its child is listed: the Kinesis adapter closes such
 * parents by itself (ShardGraphTracker.closeOpenParents).
 */
function isEndListed({ closed }: StreamShard, now: number): boolean {
  return closed !== undefined && closed.listedAt <= now
}

function describedShard(shard: StreamShard, now: number): Shard {
  const { shardId, parent, start, closed } = shard
  return {
    ShardId: shardId,
    SequenceNumberRange: {
      StartingSequenceNumber: String(start),
      ...(isEndListed(shard, now) ? { EndingSequenceNumber: String(closed?.number) } : {}),
    },
    // A parent that is forgotten keeps its name here.
    ...(parent === undefined ? {} : { ParentShardId: parent.shardId }),
  }
}
