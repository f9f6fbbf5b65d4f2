import type { DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import type { TableClient } from '../table/table-client.ts'
import { beganAt, listShards, openedAt, streamArn } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'

const arnOf = (Table: object | undefined) =>
  streamArn({ tableName: 'things', send: async () => ({ Table }) } as unknown as TableClient)
const enabled = (StreamViewType?: string) => ({
  LatestStreamArn: 'arn',
  StreamSpecification: { StreamEnabled: true, ...(StreamViewType === undefined ? {} : { StreamViewType }) },
})

test('a table with a change stream of both images has its ARN, also where the engine does not tell of images', async () => {
  expect(await arnOf(enabled('NEW_AND_OLD_IMAGES'))).toBe('arn')
  expect(await arnOf(enabled())).toBe('arn')
  expect(await arnOf({ LatestStreamArn: 'arn' })).toBe('arn')
})

test.each<[string, object | undefined, string]>([
  ['that is not there', undefined, 'the table things has no change stream; enable one with NEW_AND_OLD_IMAGES'],
  ['without one', {}, 'has no change stream'],
  ['that had one', { LatestStreamArn: 'arn', StreamSpecification: { StreamEnabled: false } }, 'has no change stream'],
  ['with keys only', enabled('KEYS_ONLY'), 'the change stream of things has KEYS_ONLY; counts need NEW_AND_OLD_IMAGES'],
])('a table %s is refused, and says what to do', async (_, table, message) => {
  await expect(arnOf(table)).rejects.toMatchObject({
    code: 'table_mismatch',
    message: expect.stringContaining(message),
  })
})

/** A stream that lists so many shards, each behind the one before, a hundred a page; the first of them follows one that is forgotten. */
function listing(shards: number) {
  const all = Array.from({ length: shards }, (_, i) => ({ ShardId: `s${i}`, ParentShardId: `s${i - 1}` }))
  let asked = 0
  const streams = {
    async send({ input: { ExclusiveStartShardId } }: DescribeStreamCommand) {
      asked += 1
      const from = all.findIndex(({ ShardId }) => ShardId === ExclusiveStartShardId) + 1
      const Shards = all.slice(from, from + 100)
      const last = from + 100 < all.length ? { LastEvaluatedShardId: Shards.at(-1)?.ShardId } : {}
      return { StreamDescription: { Shards, ...last } }
    },
  } as unknown as StreamsClient
  return { all, streams, asked: () => asked }
}

test('a parent that is missing twice is forgotten, and is not looked for again', async () => {
  const { all, streams, asked } = listing(150)
  const missed = new Set<string>()
  expect(await listShards(streams, 'arn', missed)).toHaveLength(150)
  expect([asked(), [...missed]]).toEqual([4, ['s-1']])
  await listShards(streams, 'arn', missed)
  expect(asked()).toBe(6)
  // Another one is forgotten, and the list is read again.
  all.shift()
  await listShards(streams, 'arn', missed)
  expect([asked(), [...missed]]).toEqual([10, ['s0']])
  await listShards(streams, 'arn')
  expect(asked()).toBe(14)
})

test('a list of one page is read once', async () => {
  const { streams, asked } = listing(2)
  expect(await listShards(streams, 'arn')).toEqual([
    { shardId: 's0', parentShardId: 's-1', start: undefined },
    { shardId: 's1', parentShardId: 's0', start: undefined },
  ])
  expect(asked()).toBe(1)
})

test('AWS names shards and streams by when they began', () => {
  expect(openedAt('shardId-00000001700000000000-a629e0c4')).toBe(1_700_000_000_000)
  expect(openedAt('shard')).toBe(0)
  const arn = 'arn:aws:dynamodb:eu-west-1:1:table/things/stream/'
  expect(beganAt(`${arn}2026-01-02T03:04:05.678`)).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
  for (const label of ['', 'now']) expect(beganAt(`${arn}${label}`)).toBe(Number.POSITIVE_INFINITY)
})
