import { type AttributeValue, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { createAwsStream, intercepted } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { checkpointKey, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { createStreamHandler, type LambdaStreamRecord } from '../../src/stream/lambda.ts'
import { type Poller, startPoller } from '../../src/stream/poller.ts'
import { createRunner } from '../../src/stream/runner.ts'
import type { StreamsClient } from '../../src/stream/streams-client.ts'
import { reviewProjections } from './reviews.ts'
import { createdRecord, type StubShard, stubStreams } from './stub-streams.ts'
import { openTestTable, type TestTable, tableThrough } from './test-table.ts'

/** One that a busy machine renews in time. */
const LONG_LEASE_MS = 120_000
const PACE = { idleMs: 10, gatherMs: 10, leaseMs: 400, discoverMs: 50 }

const two = [createdRecord(1_010, { id: 'a' }), createdRecord(1_011, { id: 'b' })]

function poll(setting: TestTable, streams: StreamsClient, client = setting.client, leaseMs = PACE.leaseMs): Poller {
  const table = tableThrough(client, setting.tableName, Math.random)
  return startPoller({ streams, runner: createRunner({ table, projections: reviewProjections() }), ...PACE, leaseMs })
}

async function counted(setting: TestTable, shardId: string, sequenceNumber: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await readCheckpoint(setting.table, shardId)).toMatchObject({ sequenceNumber }),
    PATIENCE,
  )
}

async function setCheckpoint(
  { client, tableName }: TestTable,
  shardId: string,
  sequenceNumber: string,
  by?: 'Lambda',
): Promise<void> {
  const byLambda = by === undefined ? {} : { lambda: { S: sequenceNumber } }
  const Item = { ...keyEntry(checkpointKey(shardId)), sequenceNumber: { S: sequenceNumber }, ...byLambda }
  await client.send(new PutItemCommand({ TableName: tableName, Item }))
}

test('a shard of which nothing was counted and whose beginning is gone has a gap', async () => {
  await using setting = await openTestTable()
  await using _poller = poll(setting, stubStreams([{ shardId: 's', records: two, trimmedTo: '1005' }]))
  await counted(setting, 's', '1011')
  expect(await readCheckpoint(setting.table, 's')).toMatchObject({ gap: true, gaps: 1 })
})

test('one that is whole has none', async () => {
  await using setting = await openTestTable()
  await using _poller = poll(setting, stubStreams([{ shardId: 's', records: two }]))
  await counted(setting, 's', '1011')
  expect(await readCheckpoint(setting.table, 's')).toMatchObject({ gap: false, gaps: 0 })
})

test('a gap is noted once, though nothing follows it that counts', async () => {
  await using setting = await openTestTable()
  const changesNothing = two.map((record) => ({
    ...record,
    dynamodb: { ...record.dynamodb, OldImage: record.dynamodb?.NewImage },
  }))
  const streams = stubStreams([{ shardId: 's', records: changesNothing, trimmedTo: '1005' }])
  for (let process = 1; process <= 2; process++) {
    await using _poller = poll(setting, streams)
    await counted(setting, 's', '1011')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(await readCheckpoint(setting.table, 's')).toMatchObject({ gap: true, gaps: 1 })
})

test('a shard that was not read for more than a day has a gap, and so has one whose parent is forgotten', async () => {
  await using setting = await openTestTable()
  await setCheckpoint(setting, 'late', '1001')
  const shards: StubShard[] = [
    { shardId: 'late', records: two, trimmedTo: '1005' },
    { shardId: 'orphan', parent: 'forgotten', records: two },
  ]
  await using _poller = poll(setting, stubStreams(shards))
  for (const shardId of ['late', 'orphan']) {
    await counted(setting, shardId, '1011')
    expect(await readCheckpoint(setting.table, shardId)).toMatchObject({ gap: true, gaps: 1 })
  }
})

test('a gap whose note comes after the lease was lost is noted by whichever process counts the shard', async () => {
  await using setting = await openTestTable()
  const shards: StubShard[] = [
    { shardId: 'late', records: two, trimmedTo: '1005' },
    { shardId: 'orphan', parent: 'forgotten', records: two },
  ]
  const lost = new Set<string>()
  // Another process has the lease for a moment, just before the note, and does nothing with it.
  const client = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
    const { UpdateExpression = '', Key } = (command as UpdateItemCommand).input
    const partition = Key?.PK?.S ?? ''
    if (!(command instanceof UpdateItemCommand) || !UpdateExpression.startsWith('SET gap') || lost.has(partition))
      return send(command)
    lost.add(partition)
    const Item = { ...Key, owner: { S: 'another process' }, leasedUntil: { N: '1' } }
    await setting.client.send(new PutItemCommand({ TableName: setting.tableName, Item }))
    return send(command)
  })
  await using _poller = poll(setting, stubStreams(shards), client)
  for (const shardId of ['late', 'orphan']) {
    await counted(setting, shardId, '1011')
    expect(await readCheckpoint(setting.table, shardId)).toMatchObject({ gap: true, gaps: 1 })
  }
  expect(lost.size).toBe(2)
})

test('beside Lambda there is no gap: what comes before a shard that is counted was counted', async () => {
  await using setting = await openTestTable()
  // Lambda has counted up to the last of them; of the first nothing counts, and the second is gone in part.
  await setCheckpoint(setting, 'second', '1002', 'Lambda')
  await setCheckpoint(setting, 'last', '1011', 'Lambda')
  const shards: StubShard[] = [
    { shardId: 'first', parent: 'forgotten', records: [], trimmedTo: '1005', closed: true },
    { shardId: 'second', parent: 'first', records: [], trimmedTo: '1005', closed: true },
    { shardId: 'last', parent: 'second', records: two },
  ]
  await using _poller = poll(setting, stubStreams(shards))
  for (const shardId of ['first', 'second']) {
    await vi.waitFor(async () => expect((await readCheckpoint(setting.table, shardId)).finished).toBe(true), PATIENCE)
    expect(await readCheckpoint(setting.table, shardId)).toMatchObject({ gap: false, gaps: 0 })
  }
})

test('a poller that waits writes nothing', async () => {
  await using setting = await openTestTable()
  const { streams } = createAwsStream({ ...setting, seed: 1, behaviour: { shards: 4 } })
  await using first = poll(setting, streams, setting.client, LONG_LEASE_MS)
  await vi.waitFor(() => expect(first.status().shards).toHaveLength(4), PATIENCE)
  let writes = 0
  let reads = 0
  const watched = intercepted<DynamoDBClient>(setting.client, (command, send) => {
    if (command instanceof UpdateItemCommand) writes += 1
    else reads += 1
    return send(command)
  })
  await using _second = poll(setting, streams, watched, LONG_LEASE_MS)
  await vi.waitFor(() => expect(reads).toBeGreaterThan(40), PATIENCE)
  expect(writes).toBe(0)
})

/** As Lambda gives it: times in seconds. */
const lambdaRecord = (sequenceNumber: number): LambdaStreamRecord => {
  const { eventName, dynamodb } = createdRecord(sequenceNumber, { id: `r${sequenceNumber}` })
  return { eventName, dynamodb: { ...dynamodb, ApproximateCreationDateTime: 1_760_000_000 } }
}

const eventOf = (...sequenceNumbers: number[]) => ({
  ...{ shardId: 's', eventSourceARN: 'arn' },
  Records: sequenceNumbers.map(lambdaRecord),
})

test('Lambda notes that records were gone before its first batch of a shard', async () => {
  for (const checkpoint of [undefined, '1001']) {
    await using setting = await openTestTable()
    if (checkpoint !== undefined) await setCheckpoint(setting, 's', checkpoint)
    const errors: unknown[] = []
    const handler = createStreamHandler({
      runner: setting.runner(),
      streams: stubStreams([{ shardId: 's', records: [], trimmedTo: '1005' }]),
      onError: (error) => errors.push(error),
    })
    expect(await handler(eventOf(1_010, 1_011))).toMatchObject({ batchItemFailures: [] })
    await handler(eventOf(1_012))
    expect(await readCheckpoint(setting.table, 's')).toMatchObject({ sequenceNumber: '1012', gap: true, gaps: 1 })
    expect(errors).toMatchObject([{ message: expect.stringContaining('dropped records of s') }])
  }
})

test.each<[string, readonly StubShard[], object, boolean]>([
  ['is forgotten', [], {}, true],
  [
    'has lost what was not counted',
    [{ shardId: 'before', records: [], trimmedTo: '1005' }],
    { sequenceNumber: '1001' },
    true,
  ],
  ['has lost all, and nothing of it was counted', [{ shardId: 'before', records: [], trimmedTo: '1005' }], {}, true],
  ['is forgotten, and a poller finished it', [], { sequenceNumber: '1001', finished: true }, false],
  ['is whole', [{ shardId: 'before', records: [] }], {}, false],
])(
  'Lambda looks at the shard before one that is new to it: it %s',
  async (_, before, {
    sequenceNumber,
    finished = false,
  }: {
    readonly sequenceNumber?: string
    readonly finished?: boolean
  }, gap) => {
    await using setting = await openTestTable()
    if (sequenceNumber !== undefined) {
      const Item = {
        ...keyEntry(checkpointKey('before')),
        sequenceNumber: { S: sequenceNumber },
        finished: { BOOL: finished },
      }
      await setting.client.send(new PutItemCommand({ TableName: setting.tableName, Item }))
    }
    const handler = createStreamHandler({
      runner: setting.runner(),
      streams: stubStreams([...before, { shardId: 's', parent: 'before', records: [] }]),
    })
    for (const sequence of [1_010, 1_011])
      expect(await handler(eventOf(sequence))).toMatchObject({ batchItemFailures: [] })
    expect(await readCheckpoint(setting.table, 's')).toMatchObject({ sequenceNumber: '1011', gap, gaps: gap ? 1 : 0 })
  },
)

test.each<[string, number | undefined, boolean]>([
  ['never were', undefined, false],
  ['are hours old', 6, false],
  ['have stopped for most of a day', 19, true],
])('a shard that is new to Lambda is behind a loss where heartbeats %s', async (_, hours, gap) => {
  await using setting = await openTestTable()
  const now = 1_800_000_000_000
  if (hours !== undefined) {
    const Item = { ...keyEntry({ PK: '~HEARTBEAT', SK: '~' }), caughtUpAt: { N: String(now - hours * 3_600_000) } }
    await setting.client.send(new PutItemCommand({ TableName: setting.tableName, Item }))
  }
  const streams = stubStreams([
    { shardId: 'before', records: [] },
    { shardId: 's', parent: 'before', records: [] },
  ])
  const handler = createStreamHandler({ runner: setting.runner(), streams, clock: () => now })
  await handler(eventOf(1_010))
  expect(await readCheckpoint(setting.table, 's')).toMatchObject({ sequenceNumber: '1010', gap })
})

test.each<[string, Readonly<Record<string, AttributeValue>>, readonly StubShard[]]>([
  ['is not listed yet', {}, []],
  [
    'has lost records already, and that is noted',
    { gaps: { N: '1' } },
    [{ shardId: 's', parent: 'gone', records: [] }],
  ],
])('a shard that is new to Lambda and %s has no further gap', async (_, held, shards) => {
  await using setting = await openTestTable()
  const now = 1_800_000_000_000
  for (const Item of [
    { ...keyEntry({ PK: '~HEARTBEAT', SK: '~' }), caughtUpAt: { N: String(now) } },
    { ...keyEntry(checkpointKey('s')), ...held },
  ]) {
    await setting.client.send(new PutItemCommand({ TableName: setting.tableName, Item }))
  }
  const streams = stubStreams([...shards])
  const handler = createStreamHandler({ runner: setting.runner(), streams, clock: () => now })
  expect(await handler(eventOf(1_010))).toMatchObject({ batchItemFailures: [] })
  const { gap, gaps } = await readCheckpoint(setting.table, 's')
  expect([gap, gaps]).toEqual([false, Number(held.gaps?.N ?? 0)])
})

test('Lambda counts on where the stream may not be looked at, and says so', async () => {
  await using setting = await openTestTable()
  const errors: unknown[] = []
  const refusal = Object.assign(new Error('denied'), { name: 'AccessDeniedException' })
  const denied = { send: () => Promise.reject(refusal) } as unknown as StreamsClient
  const handler = createStreamHandler({
    ...{ runner: setting.runner(), streams: denied },
    onError: (error) => errors.push(error),
  })
  expect(await handler(eventOf(1_010))).toMatchObject({ batchItemFailures: [] })
  expect(await readCheckpoint(setting.table, 's')).toMatchObject({ sequenceNumber: '1010', gap: false })
  expect(errors).toHaveLength(1)
})

test('batches of one shard that overtake each other are told of, one after the other or at the same time', async () => {
  for (const together of [false, true]) {
    await using setting = await openTestTable()
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const other = createStreamHandler({ runner: setting.runner(), onError })
    let overtake = async (): Promise<void> => {
      await other(eventOf(1_001, 1_003, 1_005))
    }
    if (!together) {
      await overtake()
      overtake = async () => {}
    }
    const slow = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
      const first = overtake
      overtake = async () => {}
      const answer = command.constructor.name === 'TransactWriteItemsCommand' ? undefined : await send(command)
      await first()
      return answer ?? send(command)
    })
    const runner = createRunner({
      table: tableThrough(slow, setting.tableName, () => 0),
      projections: reviewProjections(),
    })
    await createStreamHandler({ runner, onError })(eventOf(1_002, 1_004, 1_006))
    expect(errors).toMatchObject([{ message: expect.stringContaining('ParallelizationFactor') }])
    expect(await readCheckpoint(setting.table, 's')).toMatchObject({ gap: true, sequenceNumber: '1006' })
  }
})

test('a batch that comes again, cut anew, is nothing to tell of', async () => {
  await using setting = await openTestTable()
  const errors: unknown[] = []
  const handler = createStreamHandler({ runner: setting.runner(), onError: (error) => errors.push(error) })
  for (const batch of [[1, 2, 3], [1, 2, 3, 4], [2], [3, 4, 5], [6]]) {
    await handler(eventOf(...batch.map((number) => 1_000 + number)))
  }
  // A poller beside it moves the checkpoint over a record that Lambda's filter leaves out.
  await setCheckpoint(setting, 's', '1008')
  await handler(eventOf(1_006, 1_007, 1_009))
  expect(errors).toEqual([])
  expect(await readCheckpoint(setting.table, 's')).toMatchObject({ gap: false, sequenceNumber: '1009' })
})
