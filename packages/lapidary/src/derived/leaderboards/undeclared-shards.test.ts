import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { schemaOf } from '../../../test/comments-fixture.ts'
import { indexes } from '../../layouts/indexes/indexes.ts'
import { type Collection, defineCollection, type Item } from '../../model/collection.ts'
import type { TableClient } from '../../table/table-client.ts'
import { boardPartition } from './leaderboard-keys.ts'
import { undeclaredShards } from './undeclared-shards.ts'

const collection: Collection = defineCollection({
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
  facets: {},
  leaderboards: { all: { where: {}, shards: 2 }, widest: { where: {}, shards: 64 }, one: { where: {} } },
}) as unknown as Collection
const layout = indexes().of(collection)

/** A table whose index has one place in each of these partitions, behind a page that is empty. */
function tableWith(partitions: readonly string[]): {
  readonly table: TableClient
  readonly asked: QueryCommandInput[]
} {
  const asked: QueryCommandInput[] = []
  const send = async ({ input }: { readonly input: QueryCommandInput }) => {
    asked.push(input)
    expect(input).toMatchObject({ TableName: 'things', IndexName: layout.carrier?.name, Select: 'COUNT', Limit: 1 })
    expect(input.ExpressionAttributeNames).toEqual({ '#p': layout.carrier?.partitionKey })
    expect(input.KeyConditionExpression).toBe('#p = :p')
    const partition = input.ExpressionAttributeValues?.[':p']?.S ?? ''
    if (input.ExclusiveStartKey === undefined) return { Count: 0, LastEvaluatedKey: { PK: { S: partition } } }
    return partitions.includes(partition) ? { Count: 1, LastEvaluatedKey: input.ExclusiveStartKey } : { Count: 0 }
  }
  const table = { tableName: 'things', send: send as never, random: () => 0, sleep: async () => {} }
  return { table, asked }
}

const [all, widest, one] = collection.leaderboards

test('places in shards that are not declared are found, whichever board they are of', async () => {
  if (all === undefined || widest === undefined || one === undefined) return expect.fail()
  const held = [
    ...[0, 1, 2, 63].map((shard) => boardPartition('THING', all, [], shard)),
    ...[0, 63].map((shard) => boardPartition('THING', widest, [], shard)),
    ...[0, 64].map((shard) => boardPartition('THING', one, [], shard)),
    boardPartition('OTHER', one, [], 5),
  ]
  const { table, asked } = tableWith(held)
  expect(await undeclaredShards(table, collection, layout)).toEqual([
    { collection: 'THING', board: 'all', shards: [2, 63] },
  ])
  const partitions = new Set(asked.map((input) => input.ExpressionAttributeValues?.[':p']?.S))
  // Each shard that is not declared and could be, and no other.
  expect(partitions.size).toBe(62 + 0 + 63)
})

test('there are none where no index can carry boards, and none are looked for', async () => {
  const { table, asked } = tableWith([])
  expect(await undeclaredShards(table, collection, { ...layout, carrier: undefined })).toEqual([])
  expect(asked).toEqual([])
})
