import {
  BatchGetItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams'
import { createTableInput } from 'lapidary/schema'
import {
  type AwsBehaviour,
  type AwsOccurrence,
  type AwsStream,
  createAwsStream,
  createFaultKit,
  drawAwsBehaviour,
} from 'lapidary-testing'
import { afterAll, describe, expect, test } from 'vitest'
import { startPlainEngine } from '../../../test/engines/plain-client.ts'
import { compareSequenceNumbers } from '../../lapidary/src/derived/change.ts'
import { reviewTable } from '../../lapidary/test/stream/reviews.ts'

const plain = await startPlainEngine()
afterAll(() => plain[Symbol.asyncDispose]())

let tables = 0

interface Setting extends AwsStream {
  readonly tableName: string
  readonly arn: string
  put(from: number, to: number): Promise<void>
  shards(arn?: string): Promise<readonly Shard[]>
  iterator(shard: Shard | undefined, from?: Partial<GetShardIteratorCommandInput>): Promise<string | undefined>
}

/** A second of AWS's takes so long that nothing happens by itself; tests let time pass. */
async function awsSetting(behaviour: Partial<AwsBehaviour> = {}, msPerSecond = 60_000): Promise<Setting> {
  const { client, streams } = plain
  const tableName = `aws-stream-${tables++}`
  const created = await client.send(new CreateTableCommand(createTableInput(reviewTable(tableName))))
  const arn = created.TableDescription?.LatestStreamArn ?? ''
  const aws = createAwsStream({ client, streams, tableName, seed: 7, behaviour, msPerSecond })
  return {
    ...{ ...aws, occurred: aws.occurred, tableName, arn },
    async put(from, to) {
      for (let i = from; i < to; i++) await aws.client.send(new PutItemCommand(itemOf(tableName, i)))
    },
    shards: (StreamArn = arn) => listAll(aws.streams, StreamArn),
    async iterator(shard, from = { ShardIteratorType: 'TRIM_HORIZON' }) {
      const input = { StreamArn: arn, ShardId: shard?.ShardId, ShardIteratorType: 'TRIM_HORIZON' as const, ...from }
      return (await aws.streams.send(new GetShardIteratorCommand(input))).ShardIterator
    },
  }
}

function itemOf(TableName: string, i: number) {
  return { TableName, Item: { PK: { S: `REVIEW#${i % 10}` }, SK: { S: '~' }, n: { N: String(i) } } }
}

async function listAll(streams: DynamoDBStreamsClient, StreamArn: string): Promise<readonly Shard[]> {
  const shards: Shard[] = []
  let ExclusiveStartShardId: string | undefined
  do {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId }))
    shards.push(...(StreamDescription?.Shards ?? []))
    ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId
  } while (ExclusiveStartShardId !== undefined)
  return shards
}

interface Reading {
  readonly records: readonly _Record[]
  readonly pages: readonly number[]
  readonly ended: boolean
}

/** Reads so many pages, or to the shard's end. */
async function read({ streams }: AwsStream, first: string | undefined, most = 200): Promise<Reading> {
  const records: _Record[] = []
  const pages: number[] = []
  let ShardIterator = first
  while (ShardIterator !== undefined && pages.length < most) {
    const page = await streams.send(new GetRecordsCommand({ ShardIterator }))
    records.push(...(page.Records ?? []))
    pages.push(page.Records?.length ?? 0)
    ShardIterator = page.NextShardIterator
  }
  return { records, pages, ended: ShardIterator === undefined }
}

const numbersOf = (records: readonly _Record[]): number[] =>
  records.map(({ dynamodb }) => Number(dynamodb?.NewImage?.n?.N))
const countTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

describe('what a reader of a shard meets', () => {
  test('nothing but the records, where AWS is at its best', async () => {
    const aws = await awsSetting()
    await aws.put(0, 30)
    const [shard] = await aws.shards()
    expect(await read(aws, await aws.iterator(shard), 1)).toMatchObject({ pages: [30], ended: false })
    expect(Object.values(aws.occurred).every((times) => times === 0)).toBe(true)
  })

  test('a record comes late, and before it none that is after it', async () => {
    const aws = await awsSetting({ lateSeconds: 100 })
    await aws.put(0, 30)
    const [shard] = await aws.shards()
    const begin = await aws.iterator(shard)
    const seen: number[] = []
    for (let i = 0; i < 10; i++) {
      const { records } = await read(aws, begin, 1)
      expect(numbersOf(records)).toEqual(countTo(records.length))
      seen.push(records.length)
      await aws.pass(10)
    }
    expect(seen[0]).toBeLessThan(30)
    expect(aws.occurred.late).toBeGreaterThan(0)
    expect(numbersOf((await read(aws, begin, 1)).records)).toEqual(countTo(30))
  })

  test('several empty pages in a row come before records that are there, and short ones', async () => {
    const aws = await awsSetting({ emptyPages: 0.7, shortPages: 1 })
    await aws.put(0, 40)
    const [shard] = await aws.shards()
    const { records, pages } = await read(aws, await aws.iterator(shard), 100)
    expect(numbersOf(records)).toEqual(countTo(40))
    const filled = pages.findLastIndex((page) => page > 0)
    expect(pages.slice(0, filled).join(' ')).toMatch(/0 0 0/)
    expect(aws.occurred.empty).toBeGreaterThan(2)
    expect(aws.occurred.short).toBeGreaterThan(2)
  })

  test('an iterator expires', async () => {
    const aws = await awsSetting()
    const iterator = await aws.iterator((await aws.shards())[0])
    await aws.pass(14 * 60)
    await read(aws, iterator, 1)
    await aws.pass(2 * 60)
    await expect(read(aws, iterator, 1)).rejects.toMatchObject({ name: 'ExpiredIteratorException' })
  })

  test('after 24 hours records are gone: TRIM_HORIZON says nothing, a number of them does, and so does an old iterator', async () => {
    const aws = await awsSetting({ shardSeconds: 30 * 3_600, iteratorSeconds: 100 * 3_600 })
    const [before] = await aws.shards()
    await aws.put(0, 10)
    const { records } = await read(aws, await aws.iterator(before), 1)
    const old = await aws.iterator(before)
    await aws.pass(20 * 3_600)
    await aws.put(10, 12)
    await aws.pass(5 * 3_600)
    const left = await read(aws, await aws.iterator(before), 1)
    expect(numbersOf(left.records)).toEqual([10, 11])
    expect(aws.occurred.trimmedSilently).toBe(1)
    const trimmed = { name: 'TrimmedDataAccessException' }
    const numbers = [before?.SequenceNumberRange?.StartingSequenceNumber, records[3]?.dynamodb?.SequenceNumber]
    for (const SequenceNumber of numbers) {
      for (const ShardIteratorType of ['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'] as const) {
        await expect(aws.iterator(before, { ShardIteratorType, SequenceNumber })).rejects.toMatchObject(trimmed)
      }
    }
    await expect(read(aws, old, 1)).rejects.toMatchObject(trimmed)
    const SequenceNumber = left.records[0]?.dynamodb?.SequenceNumber
    const at = await aws.iterator(before, { ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber })
    const after = await aws.iterator(before, { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber })
    expect(numbersOf((await read(aws, at, 1)).records)).toEqual([10, 11])
    expect(numbersOf((await read(aws, after, 1)).records)).toEqual([11])
    await aws.pass(60 * 3_600)
    await aws.shards()
    await expect(aws.iterator(before)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  })
})

describe('what a reader of the list of shards meets', () => {
  test('shards close after four hours, or full, and have one child or two; each item stays in one line of them', async () => {
    const aws = await awsSetting({ shards: 2, splits: 0.4, shardRecords: 30 })
    await aws.put(0, 200)
    await aws.pass(5 * 3_600)
    const shards = await aws.shards()
    expect(aws.occurred.split).toBeGreaterThan(0)
    expect(aws.occurred.rolledOver).toBeGreaterThan(0)
    const place = new Map<string, string>()
    const numbers: number[] = []
    for (const shard of shards) {
      expect(shard.ShardId).toMatch(/^shardId-\d{20}-[0-9a-f]{8}$/)
      const { StartingSequenceNumber: start = '', EndingSequenceNumber: end } = shard.SequenceNumberRange ?? {}
      const { records, ended } = await read(aws, await aws.iterator(shard), 3)
      expect(ended).toBe(end !== undefined)
      for (const record of records) {
        const number = record.dynamodb?.SequenceNumber ?? ''
        expect(compareSequenceNumbers(start, number)).toBeLessThanOrEqual(0)
        if (end !== undefined) expect(compareSequenceNumbers(number, end)).toBeLessThanOrEqual(0)
        const key = record.dynamodb?.Keys?.PK?.S ?? ''
        const earlier = place.get(key)
        expect([shard.ShardId, shard.ParentShardId, undefined]).toContain(earlier)
        place.set(key, shard.ShardId ?? '')
      }
      numbers.push(...numbersOf(records))
    }
    expect(numbers.sort((a, b) => a - b)).toEqual(countTo(200))
  })

  test('children are listed late and in pieces, under parents that may seem open; a filter asks for them', async () => {
    const aws = await awsSetting({ shards: 4, splits: 1, shardRecords: 20, listedSeconds: 100 })
    await aws.put(0, 200)
    const first = await aws.shards()
    for (let i = 0; i < 55; i++) {
      await aws.shards()
      await aws.pass(2)
    }
    const last = await aws.shards()
    expect(last.length).toBeGreaterThan(first.length)
    for (const kind of ['childless', 'halved', 'openParent'] satisfies AwsOccurrence[]) {
      expect(aws.occurred[kind], kind).toBeGreaterThan(0)
    }
    const [root] = last
    const ShardFilter = { Type: 'CHILD_SHARDS' as const, ShardId: root?.ShardId }
    const { StreamDescription } = await aws.streams.send(new DescribeStreamCommand({ StreamArn: aws.arn, ShardFilter }))
    const children = StreamDescription?.Shards ?? []
    expect(children.map(({ ParentShardId }) => ParentShardId)).toEqual([root?.ShardId, root?.ShardId])
  })

  test('the list comes in pages, the last of them empty now and then', async () => {
    const aws = await awsSetting({ shards: 12 })
    for (let i = 0; i < 30; i++) expect(await aws.shards()).toHaveLength(12)
    expect(aws.occurred.emptyListing).toBeGreaterThan(0)
  })

  test('a stream that is switched off ends and can be read; on again it is another, and what was written meanwhile is in none', async () => {
    const aws = await awsSetting()
    const switchTo = (StreamEnabled: boolean) =>
      aws.client.send(new UpdateTableCommand({ TableName: aws.tableName, StreamSpecification: { StreamEnabled } }))
    await aws.put(0, 3)
    await switchTo(false)
    await aws.put(3, 5)
    await switchTo(true)
    await aws.put(5, 7)
    const { Table } = await aws.client.send(new DescribeTableCommand({ TableName: aws.tableName }))
    expect(Table?.LatestStreamArn).not.toBe(aws.arn)
    const [shard] = await aws.shards()
    expect(await read(aws, await aws.iterator(shard))).toMatchObject({ ended: true })
    expect(numbersOf((await read(aws, await aws.iterator(shard))).records)).toEqual([0, 1, 2])
    const StreamArn = Table?.LatestStreamArn ?? ''
    const [later] = await aws.shards(StreamArn)
    expect(numbersOf((await read(aws, await aws.iterator(later, { StreamArn }), 1)).records)).toEqual([5, 6])
    expect(aws.occurred.unheard).toBe(2)
    const { StreamDescription } = await aws.streams.send(new DescribeStreamCommand({ StreamArn: aws.arn }))
    expect(StreamDescription).toMatchObject({ StreamStatus: 'DISABLED', CreationRequestDateTime: expect.any(Date) })
  })
})

test('reads that ask for no consistency are behind: changed, made and removed items; others never', async () => {
  const aws = await awsSetting({ staleSeconds: 1 })
  const { tableName: TableName, client } = aws
  const Key = { PK: { S: 'REVIEW#1' }, SK: { S: '~' } }
  const seen = new Set<string | undefined>()
  const look = async (ConsistentRead: boolean): Promise<void> => {
    const query = {
      ...{ TableName, ConsistentRead, KeyConditionExpression: 'PK = :pk' },
      ExpressionAttributeValues: { ':pk': Key.PK },
    }
    const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead }))
    const { Responses } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [Key], ConsistentRead } } }),
    )
    const { Items } = await client.send(new QueryCommand(query))
    for (const item of [Item, Responses?.[TableName]?.[0], Items?.[0]]) seen.add(item?.n?.N)
  }
  await aws.put(1, 2)
  await look(false)
  await aws.pass(0.5)
  await aws.put(11, 12)
  await look(false)
  await aws.pass(0.3)
  for (let i = 0; i < 20; i++) await look(false)
  expect(seen).toEqual(new Set([undefined, '1', '11']))
  seen.clear()
  await look(true)
  expect(seen).toEqual(new Set(['11']))
  await aws.pass(2)
  await look(false)
  expect(seen).toEqual(new Set(['11']))
  await client.send(new DeleteItemCommand({ TableName, Key }))
  await look(false)
  await aws.pass(0.5)
  for (let i = 0; i < 20; i++) await look(false)
  expect(seen).toEqual(new Set([undefined, '11']))
  expect(aws.occurred.stale).toBeGreaterThan(10)
})

test('writes past its client are heard of soon', async () => {
  const aws = await awsSetting()
  const [shard] = await aws.shards()
  await plain.client.send(new PutItemCommand(itemOf(aws.tableName, 0)))
  await expect.poll(async () => (await read(aws, await aws.iterator(shard), 1)).pages).toEqual([1])
})

test('it begins when its first command gets through', async () => {
  const { tableName, arn } = await awsSetting()
  const faults = createFaultKit({ seed: 7, rates: { failed: 1 } })
  const aws = createAwsStream({ ...plain, client: faults.dynamodb(plain.client), tableName, seed: 7 })
  await expect(listAll(aws.streams, arn)).rejects.toMatchObject({ name: 'InternalServerError' })
  faults.calm()
  expect(await listAll(aws.streams, arn)).toHaveLength(1)
})

test('a drawn behaviour makes everything happen but what takes a day', async () => {
  const occurred: Partial<Record<AwsOccurrence, number>> = {}
  const others = (): readonly (readonly [string, number])[] => {
    const { trimmed, trimmedSilently, forgotten, unheard, ...kinds } = occurred
    expect([trimmed, trimmedSilently, forgotten, unheard].filter((times) => (times ?? 0) > 0)).toEqual([])
    return Object.entries(kinds)
  }
  const lacking = (): readonly string[] => others().flatMap(([kind, times]) => (times > 0 ? [] : [kind]))
  // Events that a busy machine keeps from ten runs happen in more.
  for (let seed = 1; seed <= 10 || (seed <= 40 && lacking().length > 0); seed++) {
    const aws = await awsSetting(drawAwsBehaviour(seed), 1)
    for (let i = 0; i < 30; i++) {
      await aws.put(i * 5, i * 5 + 5)
      const shards = await aws.shards()
      await aws.client.send(new GetItemCommand({ TableName: aws.tableName, Key: itemKey(i * 5) }))
      const iterator = await aws.iterator(shards.at(-1))
      if (i % 3 === 0) await aws.pass(i % 9 === 0 ? 40 : 5)
      if (i % 10 === 5) await aws.rollOver()
      await read(aws, iterator, 4).catch((error: unknown) => {
        if ((error as Error).name !== 'ExpiredIteratorException') throw error
      })
    }
    for (const [kind, times] of Object.entries(aws.occurred)) {
      occurred[kind as AwsOccurrence] = (occurred[kind as AwsOccurrence] ?? 0) + times
    }
  }
  expect(others().length).toBeGreaterThan(10)
  expect(lacking()).toEqual([])
})

function itemKey(i: number) {
  const { PK, SK } = itemOf('', i).Item
  return { PK, SK }
}

describe('what a process meets between itself and AWS', () => {
  test('a 500 before the write was made, or after it', async () => {
    const aws = await awsSetting()
    const faults = createFaultKit({ seed: 7, rates: { failed: 0.6 } })
    const client: DynamoDBClient = faults.dynamodb(aws.client)
    let failed = 0
    for (let i = 0; i < 40; i++) {
      await client
        .send(new PutItemCommand({ TableName: aws.tableName, Item: { ...itemKey(0), PK: { S: `p${i}` } } }))
        .catch((error: Error) => {
          if (error.name !== 'InternalServerError') throw error
          failed += 1
        })
    }
    const { records } = await read(aws, await aws.iterator((await aws.shards())[0]), 1)
    expect(records.length).toBeLessThan(40)
    expect(records.length).toBeGreaterThan(40 - failed)
  })

  test('a clock of its own, a death, and a calm', async () => {
    const aws = await awsSetting()
    const faults = createFaultKit({ seed: 7, rates: { throttled: 1 }, clockMs: 5_000 })
    expect(faults.clock() - Date.now()).toBeGreaterThan(4_000)
    const client = faults.dynamodb(aws.client)
    const look = () => client.send(new GetItemCommand({ TableName: aws.tableName, Key: itemKey(0) }))
    await expect(look()).rejects.toThrow(/throughput/i)
    faults.calm()
    await look()
    faults.kill()
    await expect(look()).rejects.toMatchObject({ name: 'Killed' })
  })
})
