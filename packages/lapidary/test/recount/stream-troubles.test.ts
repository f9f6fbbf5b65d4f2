import {
  BatchGetItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { type DynamoDBStreamsClient, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams'
import type { Poller } from 'lapidary'
import { importItems } from 'lapidary/transfer'
import { intercepted, seededRandom } from 'lapidary-testing'
import { describe, expect, it } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { compareSequenceNumbers } from '../../src/derived/change.ts'
import { readCheckpoint } from '../../src/stream/checkpoint.ts'
import { listDeadLetters } from '../../src/stream/dead-letters.ts'
import { startPoller } from '../../src/stream/poller.ts'
import { createShardReader } from '../../src/stream/shard-reader.ts'
import { listShards, streamArn } from '../../src/stream/shards.ts'
import { countsPartition } from '../derived-keys.ts'
import {
  count,
  type MaintenanceSetting,
  maintenanceSetting,
  reviews,
  untilCounted,
  writeAtRandom,
} from './maintenance-setting.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no test engine')

const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } })

/** An item that can't be counted: its language is a list. */
async function putUncountable({ client, tableName }: MaintenanceSetting): Promise<void> {
  const Item = {
    ...key('REVIEW#bad', '~'),
    id: { S: 'bad' },
    shopId: { S: 'a' },
    stars: { N: '5' },
    language: { L: [{ S: 'en' }] },
  }
  await client.send(new PutItemCommand({ TableName: tableName, Item }))
}

async function mendItem({ client, tableName }: MaintenanceSetting): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: key('REVIEW#bad', '~'),
      UpdateExpression: 'SET #l = :en',
      ExpressionAttributeNames: { '#l': 'language' },
      ExpressionAttributeValues: { ':en': { S: 'en' } },
    }),
  )
}

async function countOf({ client, tableName: TableName }: MaintenanceSetting, SK: string): Promise<number> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: key(countsPartition(reviews, 'a'), SK), ConsistentRead: true }),
  )
  return Number(Item?.count_total?.N ?? 0)
}

describe('repair and what the change stream could not bring', () => {
  it('tells of items that can not be counted and of dead letters', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    await putUncountable(setting)
    await count(setting)
    const found = await setting.database.derived.verify(setting.options)
    expect(found).toMatchObject({ differenceCount: 0, uncountable: 1, deadLetters: 1 })
    const [letter] = await setting.database.stream.deadLetters.list()
    expect(letter?.reason).toContain('language')
    expect(found.uncountableItems).toEqual([{ key: { PK: 'REVIEW#bad', SK: '~' }, reason: letter?.reason }])
  })

  it('counts what dead letters tell of, and forgets them', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    // The item can be read; the projection of then could not.
    const { context } = setting.reviews
    await using poller = startPoller({
      streams: setting.streams,
      runner: setting.runner(({ language }) => language?.S === 'odd'),
      idleMs: 20,
    })
    await setting.reviews.create({ id: 'odd', shopId: 'a', language: 'odd', stars: 5, at: '2024-01-01T00:00:00.000Z' })
    await untilCounted(() => setting.database.derived.verify(setting.options))
    await poller.close()
    expect(await listDeadLetters(context.table)).toHaveLength(1)
    const before = await countOf(setting, '~')
    const verified = await setting.database.derived.verify(setting.options)
    expect(verified.deadLetters).toBe(1)
    expect(verified.differenceCount).toBeGreaterThan(0)
    const repair = await setting.database.derived.repair(setting.options)
    expect(repair).toMatchObject({ deadLettersForgotten: 1, deadLetters: 0 })
    expect(await countOf(setting, '~')).toBe(before + 1)
    expect(await setting.database.derived.verify(setting.options)).toMatchObject({ differenceCount: 0, deadLetters: 0 })
  })

  it('is right after an item that could not be counted was mended', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    await putUncountable(setting)
    await count(setting)
    await mendItem(setting)
    await count(setting)
    await setting.database.derived.repair(setting.options)
    expect(await setting.database.derived.verify(setting.options)).toMatchObject({
      differenceCount: 0,
      uncountable: 0,
      deadLetters: 0,
    })
  })

  it('makes up for records that the stream dropped, and takes the note of it back', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    await count(setting)
    await writeAtRandom(setting.reviews, seededRandom(2), 40, 'lost')
    const { table } = setting.reviews.context
    const arn = await streamArn(table)
    const [shard] = await listShards(setting.streams, arn)
    const shardId = shard?.shardId ?? ''
    const streams = trimmed(setting.streams, await lastSequenceNumber(setting, arn, shardId))
    const { derived } = setting.through(setting.client, streams)
    const { options } = setting
    const poller = startPoller({ streams, runner: setting.runner(), idleMs: 20 })
    while (!(await readCheckpoint(table, shardId)).gap) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await derived.verify(options)).toMatchObject({ gaps: [shardId] })
    expect(await derived.rebuild(undefined, options)).toMatchObject({ gapsCleared: 1 })
    expect(await derived.verify(options)).toMatchObject({ differenceCount: 0, gaps: [] })
    await writeAtRandom(setting.reviews, seededRandom(3), 30, 'after')
    await untilCounted(() => derived.verify(options))
    expect(await derived.verify(options)).toMatchObject({ differenceCount: 0, gaps: [] })
    await poller.close()
  })

  it('corrects nothing before the runner has counted something of a shard that may drop what is read here', async () => {
    await using setting = await maintenanceSetting(engine)
    const { client, tableName: TableName, options } = setting
    await writeAtRandom(setting.reviews, seededRandom(5), 20)
    await client.send(
      new PutItemCommand({
        TableName,
        Item: { ...key(countsPartition(reviews, 'ghost'), '~'), count_total: { N: '1' } },
      }),
    )
    const { table } = setting.reviews.context
    const [shard] = await listShards(setting.streams, await streamArn(table))
    const countedFirst: boolean[] = []
    let looks = 0
    let poller: Promise<Poller> | undefined
    const watched = intercepted<typeof client>(client, async (command, send) => {
      const keys = command instanceof BatchGetItemCommand ? command.input.RequestItems?.[TableName]?.Keys : undefined
      if (keys?.[0]?.PK?.S?.startsWith('~STREAM#') === true) looks += 1
      // What it knows before it reads the stream, and then a few more.
      if (looks === 8) poller ??= setting.poller()
      const isCorrection =
        command instanceof TransactWriteItemsCommand &&
        command.input.TransactItems?.some(({ Delete }) => Delete?.Key?.PK?.S === countsPartition(reviews, 'ghost'))
      if (isCorrection) {
        const { sequenceNumber } = await readCheckpoint(table, shard?.shardId ?? '')
        countedFirst.push(sequenceNumber !== undefined)
      }
      return send(command)
    })
    await setting.through(watched).derived.repair({ ...options, poll: false })
    await (await poller)?.close()
    expect(countedFirst).toEqual([true])
    expect(await setting.database.derived.verify(options)).toMatchObject({ differenceCount: 0 })
  })

  it('counts a long backlog at once, and what comes meanwhile as ever', async () => {
    await using setting = await maintenanceSetting(engine)
    const items = Array.from({ length: 1_200 }, (_, i) => ({
      ...{ id: `i${i}`, shopId: `s${i % 7}`, language: 'en', stars: (i % 5) + 1 },
      at: new Date(1_700_000_000_000 + i).toISOString(),
    }))
    await importItems(setting.reviews, items)
    const stop = new AbortController()
    const writing = writeAtRandom(setting.reviews, seededRandom(6), 100_000, 'x', stop.signal)
    const rebuild = await setting.database.derived.rebuild(undefined, setting.options)
    stop.abort()
    await writing
    expect(rebuild.mended).toBeGreaterThanOrEqual(14)
    expect(rebuild.gapsCleared).toBe(1)
    await count(setting)
    expect(await setting.database.derived.verify(setting.options)).toMatchObject({ differenceCount: 0, gaps: [] })
    const { Item } = await setting.client.send(
      new GetItemCommand({
        TableName: setting.tableName,
        Key: key(countsPartition(reviews, 's3'), '~'),
        ConsistentRead: true,
      }),
    )
    expect(Item?.count_total?.N).toBe(String(items.filter(({ shopId }) => shopId === 's3').length))
  })

  it.each(['repair', 'rebuild'] as const)(
    'mends what another process counted of an old stream after the scan: %s',
    async (kind) => {
      await using setting = await maintenanceSetting(engine)
      const { client, tableName: TableName } = setting
      await writeAtRandom(setting.reviews, seededRandom(4), 20)
      await using _poller = await setting.poller()
      await untilCounted(() => setting.database.derived.verify(setting.options))
      const truth = await setting.contents()
      const checkpoint = {
        ...key('~STREAM#of-the-old-stream', '~'),
        sequenceNumber: { S: '5' },
        owner: { S: 'another' },
      }
      await client.send(new PutItemCommand({ TableName, Item: checkpoint }))
      let isCounted = false
      const late = intercepted<typeof client>(client, async (command, send) => {
        const isRetired = command instanceof UpdateItemCommand && command.input.Key?.PK?.S === checkpoint.PK.S
        if (isRetired && !isCounted) {
          isCounted = true
          const counts = { count_total: { N: '1' }, count_5: { N: '1' } }
          await client.send(
            new PutItemCommand({ TableName, Item: { ...key(countsPartition(reviews, 'ghost'), '~'), ...counts } }),
          )
        }
        return send(command)
      })
      const { derived } = setting.through(late)
      await (kind === 'repair' ? derived.repair(setting.options) : derived.rebuild(undefined, setting.options))
      expect(isCounted).toBe(true)
      expect(await setting.contents()).toEqual(truth)
    },
  )

  it('verifies some scopes only', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 60)
    await count(setting)
    const two = await setting.database.derived.verify({ ...setting.options, sample: 2 })
    expect(two).toMatchObject({ differenceCount: 0 })
    await setting.client.send(
      new UpdateItemCommand({
        TableName: setting.tableName,
        Key: key(countsPartition(reviews, 'c#/~'), '~'),
        UpdateExpression: 'ADD count_1 :n',
        ExpressionAttributeValues: { ':n': { N: '1' } },
      }),
    )
    const all = await setting.database.derived.verify({ ...setting.options, sample: 100 })
    expect(all.items).toBeGreaterThan(two.items)
    expect(all.differences).toMatchObject([
      { kind: 'wrong', target: { PK: countsPartition(reviews, 'c#/~'), SK: '~' }, name: 'count_1' },
    ])
  })
})

/** Streams whose records are gone up to a sequence number. */
function trimmed(streams: DynamoDBStreamsClient, horizon: string): DynamoDBStreamsClient {
  return intercepted<DynamoDBStreamsClient>(streams, async (command, send) => {
    if (!(command instanceof GetShardIteratorCommand)) return send(command)
    const { SequenceNumber } = command.input
    if (SequenceNumber !== undefined && compareSequenceNumbers(SequenceNumber, horizon) >= 0) return send(command)
    if (SequenceNumber !== undefined) throw Object.assign(new Error('gone'), { name: 'TrimmedDataAccessException' })
    const ShardIteratorType = 'AFTER_SEQUENCE_NUMBER'
    return send(new GetShardIteratorCommand({ ...command.input, ShardIteratorType, SequenceNumber: horizon }))
  })
}

async function lastSequenceNumber(setting: MaintenanceSetting, arn: string, shardId: string): Promise<string> {
  const reader = createShardReader({ streams: setting.streams, arn, shard: { shardId } }, undefined)
  let last = ''
  for (let batch = await reader.next(); batch.records > 0; batch = await reader.next()) last = batch.last ?? last
  return last
}
