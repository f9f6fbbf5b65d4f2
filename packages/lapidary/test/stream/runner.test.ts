import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { intercepted, seededRandom } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { checkpointKey, clearGap, noteGap, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { GivenLane } from '../../src/stream/given-lane.ts'
import { leaseOf } from '../../src/stream/lease.ts'
import { createRunner } from '../../src/stream/runner.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards } from '../../src/stream/shards.ts'
import { countsOf, recount } from './recount.ts'
import { reviewEntry, reviewKey, reviewProjections } from './reviews.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'

const UNLEASED = { owner: undefined, sequenceNumber: undefined }

test('splits a batch that touches 300 products by sequence, each part with its checkpoint', async () => {
  await using setting = await openTestTable()
  const items = Array.from({ length: 300 }, (_, i) =>
    reviewEntry({ id: `r${i}`, productId: `p${i}`, language: 'en', rating: 1 + (i % 5), text: '0' }),
  )
  for (let i = 0; i < items.length; i += 25) {
    const requests = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }))
    await setting.client.send(new BatchWriteItemCommand({ RequestItems: { [setting.tableName]: requests } }))
  }
  const sizes: number[] = []
  const watched = intercepted<DynamoDBClient>(setting.client, (command, send) => {
    if (command instanceof TransactWriteItemsCommand) sizes.push(command.input.TransactItems?.length ?? 0)
    return send(command)
  })
  const table = tableThrough(watched, setting.tableName, () => 0)
  await setting.drain(createRunner({ table, projections: reviewProjections() }))
  const { found, expected } = await recount(setting.client, setting.tableName)
  expect(found).toEqual(expected)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100)
  // Two items of counts for each product and, for a fifth of them, two places on leaderboards; a transaction has 99 and the checkpoint.
  expect(sizes.length).toBe(Math.ceil((300 * 2 + 60 * 2) / 99))
})

test('an owner that lost its lease writes nothing, and says so', async () => {
  await using setting = await openTestTable()
  await put(setting, 'r1', 5)
  const [shard] = await listShards(setting.streams, setting.arn)
  const shardId = shard?.shardId ?? ''
  const runner = setting.runner()
  const batch = await createShardReader(
    { streams: setting.streams, arn: setting.arn, shard: { shardId } },
    undefined,
  ).next()
  const take = (owner: string, now: number) =>
    leaseOf(setting.table, { key: checkpointKey(shardId), owner, leaseMs: 9, clock: () => now }).renew()
  expect(await take('first', 1)).toBe(true)
  expect(await take('second', 5)).toBe(false)
  expect(await take('second', 11)).toBe(true)
  const laneOf = (owner: string) => new GivenLane({ runner, shardId, owner, sequenceNumber: undefined })
  await expect(laneOf('first').count(batch.changes)).rejects.toMatchObject({ code: 'unavailable' })
  expect((await recount(setting.client, setting.tableName)).found).toEqual({})
  await laneOf('second').count(batch.changes)
  const { found, expected } = await recount(setting.client, setting.tableName)
  expect(found).toEqual(expected)
  expect((await readCheckpoint(setting.table, shardId)).owner).toBe('second')
})

test('counts a record once that a batch holds several times, in whatever order', async () => {
  await using setting = await openTestTable()
  const random = seededRandom(3)
  for (let i = 0; i < 10; i++) await put(setting, `r${i % 3}`, 1 + Math.floor(random() * 5))
  const [shard] = await listShards(setting.streams, setting.arn)
  const shardId = shard?.shardId ?? ''
  const { changes } = await createShardReader(
    { streams: setting.streams, arn: setting.arn, shard: { shardId } },
    undefined,
  ).next()
  const lane = new GivenLane({ runner: setting.runner(), shardId, ...UNLEASED })
  await lane.count([...changes.slice(4), ...changes, ...changes.slice(0, 6)])
  const { found, expected } = await recount(setting.client, setting.tableName)
  expect(found).toEqual(expected)
})

test('two shards that empty and refill the same counter at the same time do not lose a count', async () => {
  await using setting = await openTestTable()
  const change = (shard: string, sequence: number, id: string, was: boolean, is: boolean) => {
    const entry = reviewEntry({ id, productId: 'p', language: 'en', rating: 3, text: '0' })
    const key = { PK: reviewKey(id).PK?.S ?? '', SK: '~' }
    return {
      ...{ key, at: 1_000, sequenceNumber: `${shard}${sequence}` },
      ...{ before: was ? entry : undefined, after: is ? entry : undefined },
    }
  }
  const apply = (runner = setting.runner(), shardId: string, changes: readonly ReturnType<typeof change>[]) =>
    new GivenLane({ runner, shardId, ...UNLEASED }).count(changes)
  await apply(undefined, 'a', [change('1', 1, 'r1', false, true)])
  // A lane has read the count of 1; before it writes, others bring it to 0, which removes the item, and to 2.
  let others: (() => Promise<void>) | undefined = async () => {
    await apply(undefined, 'b', [change('2', 1, 'r1', true, false)])
    await apply(undefined, 'c', [change('3', 1, 'r2', false, true), change('3', 2, 'r3', false, true)])
  }
  const slow = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    const first = others
    if (command instanceof TransactWriteItemsCommand && first !== undefined) {
      others = undefined
      await first()
    }
    return send(command)
  })
  const table = tableThrough(slow, setting.tableName, () => 0)
  const runner = createRunner({ table, projections: reviewProjections() })
  await apply(runner, 'd', [change('4', 1, 'r4', false, true)])
  const { found } = await recount(setting.client, setting.tableName)
  expect(countsOf(found)).toEqual({
    '~counts#REVIEW#p ~': { count_3: 3, count_total: 3 },
    '~counts#REVIEW#p en': { count_3: 3, count_total: 3 },
  })
})

test('Lambda counts beside a poller that has the lease: that of another is no reason to stop', async () => {
  await using setting = await openTestTable()
  const { client, tableName: TableName } = setting
  await put(setting, 'r1', 5)
  const [shard] = await listShards(setting.streams, setting.arn)
  const shardId = shard?.shardId ?? ''
  const source = { streams: setting.streams, arn: setting.arn, shard: { shardId } }
  const { changes } = await createShardReader(source, undefined).next()
  const Item = { ...keyEntry(checkpointKey(shardId)), owner: { S: 'a poller' } }
  await client.send(new PutItemCommand({ TableName, Item }))
  let isLost = false
  const losing = intercepted<DynamoDBClient>(client, async (command, send) => {
    const output = await send(command)
    if (!(command instanceof TransactWriteItemsCommand) || isLost) return output
    isLost = true
    throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  })
  const table = tableThrough(losing, TableName, () => 0)
  const runner = createRunner({ table, projections: reviewProjections() })
  await new GivenLane({ runner, shardId, ...UNLEASED }).count(changes)
  expect(isLost).toBe(true)
  const { found, expected } = await recount(client, TableName)
  expect(found).toEqual(expected)
})

test('a gap is cleared only when none was noted since, also where none was counted', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName: TableName } = setting
  const Item = { ...keyEntry(checkpointKey('old')), gap: { BOOL: true } }
  await client.send(new PutItemCommand({ TableName, Item }))
  expect(await clearGap(table, 'old', 1, Date.now())).toBe(false)
  expect(await clearGap(table, 'old', 0, Date.now())).toBe(true)
  expect(await readCheckpoint(table, 'old')).toMatchObject({ gap: false, gaps: 0 })
  for (let times = 1; times <= 2; times++) await noteGap(table, 'old', undefined)
  expect(await clearGap(table, 'old', 1, Date.now())).toBe(false)
  expect(await clearGap(table, 'old', 0, Date.now())).toBe(false)
  expect(await readCheckpoint(table, 'old')).toMatchObject({ gap: true, gaps: 2 })
  expect(await clearGap(table, 'old', 2, Date.now())).toBe(true)
})

async function put({ client, tableName }: TestTable, id: string, rating: number): Promise<void> {
  const Item = reviewEntry({ id, productId: 'p', language: 'en', rating, text: '0' })
  await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: [{ PutRequest: { Item } }] } }))
}
