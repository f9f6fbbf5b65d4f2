import type { DescribeStreamCommand, Shard } from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import { listShards } from '../../src/stream/shards.ts'
import type { StreamsClient } from '../../src/stream/streams-client.ts'

/** Lists what a function gives at each look, two shards to a page. */
function listing(listed: (look: number) => readonly Shard[]): { streams: StreamsClient; looks: () => number } {
  let looks = 0
  const send = async ({ input: { ExclusiveStartShardId = '' } }: DescribeStreamCommand) => {
    const rest = listed(looks++).filter(({ ShardId = '' }) => ShardId > ExclusiveStartShardId)
    const Shards = rest.slice(0, 2)
    const more = rest.length > 2 && { LastEvaluatedShardId: Shards.at(-1)?.ShardId }
    return { StreamDescription: { Shards, ...more } }
  }
  return { streams: { send } as unknown as StreamsClient, looks: () => looks }
}

const A = { ShardId: 'a', ParentShardId: 'forgotten' }
const B = { ShardId: 'b' }
const PARENT = { ShardId: 'bb' }
const C = { ShardId: 'c' }
const CHILD = { ShardId: 'd', ParentShardId: 'bb' }

const idsOf = async (streams: StreamsClient): Promise<readonly string[]> =>
  (await listShards(streams, 'arn')).map(({ shardId }) => shardId)

test('a parent that is listed behind the page that was read is not taken for forgotten', async () => {
  const { streams } = listing((look) =>
    look === 0 ? [A, B, C] : [A, B, PARENT, C, CHILD].filter((shard) => look > 1 || shard !== PARENT),
  )
  expect(await idsOf(streams)).toEqual(['a', 'b', 'bb', 'c', 'd'])
})

test('a parent that two listings lack is forgotten, and one page is listed once', async () => {
  const long = listing(() => [A, B, C])
  expect(await idsOf(long.streams)).toEqual(['a', 'b', 'c'])
  expect(long.looks()).toBe(4)
  const short = listing(() => [A, B])
  expect(await idsOf(short.streams)).toEqual(['a', 'b'])
  expect(short.looks()).toBe(1)
})
