import { expect, test } from 'vitest'
import { countsKey, itemKey, values } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { type StubShard, stubStreams } from '../../test/stream/stub-streams.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { checkpointKey, readCheckpoint } from './checkpoint.ts'
import { createStreamHandler, inTurn, type LambdaStreamRecord } from './lambda.ts'
import { createRunner } from './runner.ts'

const event = { Records: [], state: { kept: 1 } }
const handler =
  (...itemIdentifiers: string[]) =>
  async () => ({
    batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })),
    state: {},
  })

test('of several handlers the first record that any of them has not done comes again, and the state is kept', async () => {
  expect(await inTurn([handler('100'), handler(), handler('99')])(event)).toEqual({
    batchItemFailures: [{ itemIdentifier: '99' }],
    state: { kept: 1 },
  })
  expect(await inTurn([handler(), handler()])({ Records: [] })).toEqual({ batchItemFailures: [], state: {} })
})

const BEGAN = 1_800_000_000_000
const HOUR = 3_600_000
const record = (sequence: number, v = 'q', PK = `X#${sequence}`): LambdaStreamRecord => ({
  dynamodb: {
    ...{ Keys: keyEntry({ PK, SK: '~' }), NewImage: { ...keyEntry(itemKey('1')), v: { S: v }, scope: { S: 'a' } } },
    ...{ SequenceNumber: String(sequence), ApproximateCreationDateTime: 1, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  },
})

/** A handler of a shard `s` whose checkpoint holds this, over a stream of these shards. */
function handling(held: Entry = {}, shards: StubShard[] = [{ shardId: 's', records: [] }], now = BEGAN) {
  let isAway = false
  /** What fails so often before it succeeds. */
  const failing = { notes: 0, listings: 0, commits: 0 }
  const throttled = (): Error => Object.assign(new Error('slow down'), { name: 'LimitExceededException' })
  const items = memoryItems({
    description: { LatestStreamArn: 'arn' },
    before(command) {
      const { UpdateExpression } = (command as { readonly input: { readonly UpdateExpression?: string } }).input
      const isCommit = command.constructor.name === 'TransactWriteItemsCommand'
      if (isAway && isCommit) throw new Error('away')
      if (isCommit && failing.commits-- > 0) throw throttled()
      if (UpdateExpression?.startsWith('SET gap') === true && failing.notes-- > 0) throw throttled()
    },
  })
  const stub = stubStreams(shards)
  const streams = {
    async send(command: object) {
      if (command.constructor.name === 'DescribeStreamCommand' && failing.listings-- > 0) throw throttled()
      return stub.send(command as never)
    },
  } as unknown as typeof stub
  if (Object.keys(held).length > 0) items.put({ ...keyEntry(checkpointKey('s')), ...held })
  const errors: string[] = []
  const onError = (error: unknown, shardId: string): void => void errors.push(`${shardId}: ${(error as Error).message}`)
  const runner = createRunner({ table: items, projections: [values] })
  const handler = () => createStreamHandler({ runner, streams, clock: () => now, onError })
  const handle = (...Records: LambdaStreamRecord[]) => handler()({ Records, shardId: 's', state: { kept: 1 } })
  const failed = async (...Records: LambdaStreamRecord[]) =>
    (await handle(...Records)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
  return {
    ...{ items, errors, handler, handle, failed, failing },
    away: () => {
      isAway = true
    },
    total: () => items.get(countsKey('a'))?.count_q?.N,
    checkpoint: () => readCheckpoint(items, 's'),
  }
}

test('a batch is counted beyond the checkpoint, and the window keeps its state', async () => {
  const { handle, total, checkpoint, errors } = handling({ sequenceNumber: { S: '1001' }, lambda: { S: '1001' } })
  expect(await handle(record(1_001), record(1_002), record(1_003))).toEqual({
    batchItemFailures: [],
    state: { kept: 1 },
  })
  expect([total(), (await checkpoint()).sequenceNumber, errors]).toEqual(['2', '1003', []])
})

test('a shard that was finished is counted no more', async () => {
  const { handle, total, errors } = handling({ finished: { BOOL: true } })
  expect(await handle(record(1_001))).toEqual({ batchItemFailures: [], state: { kept: 1 } })
  expect([total(), errors]).toEqual([undefined, []])
})

test('of a batch that fails the first record that is not counted comes again, whatever the order they came in', async () => {
  const { failed, away, errors } = handling({ sequenceNumber: { S: '1001' } })
  away()
  expect(await failed(record(1_010), record(999), record(1_002), { dynamodb: {} })).toEqual(['1002'])
  expect(errors).toEqual(['s: away'])
  const fresh = handling()
  fresh.away()
  expect(await fresh.failed(record(1_010), record(999))).toEqual(['999'])
})

test('a batch without a sequence number that can not be read has nothing to be delivered again', async () => {
  const { items, handle } = handling()
  const broken = { ...items, send: () => Promise.reject(new Error('away')) } as typeof items
  const errors: unknown[] = []
  const handler = createStreamHandler({
    runner: createRunner({ table: broken, projections: [values] }),
    onError: (error) => errors.push(error),
  })
  expect(await handler({ Records: [{ dynamodb: {} }], shardId: 's' })).toEqual({ batchItemFailures: [], state: {} })
  expect(errors).toHaveLength(1)
  expect((await handle({})).batchItemFailures).toEqual([])
})

test.each<[string, boolean, Entry, StubShard[]]>([
  ['that is whole', false, { sequenceNumber: { S: '1001' } }, [{ shardId: 's', records: [] }]],
  [
    'of which records are gone',
    true,
    { sequenceNumber: { S: '1001' } },
    [{ shardId: 's', records: [], trimmedTo: '1005' }],
  ],
  ['that is not listed', false, {}, []],
  ['whose parent is forgotten', true, {}, [{ shardId: 's', parent: 'p', records: [] }]],
  [
    'of a forgotten parent, of which something is counted',
    false,
    { sequenceNumber: { S: '1001' } },
    [{ shardId: 's', parent: 'p', records: [] }],
  ],
  [
    'of a forgotten parent, of which a gap is noted',
    false,
    { gaps: { N: '1' } },
    [{ shardId: 's', parent: 'p', records: [] }],
  ],
  [
    'whose parent lost records',
    true,
    {},
    [
      { shardId: 'p', records: [], trimmedTo: '1005' },
      { shardId: 's', parent: 'p', records: [] },
    ],
  ],
  [
    'whose parent is whole',
    false,
    {},
    [
      { shardId: 'p', records: [] },
      { shardId: 's', parent: 'p', records: [] },
    ],
  ],
])('a shard %s has a gap: %s', async (_, hasGap, held, shards) => {
  const { handle, errors, checkpoint } = handling(held, shards)
  await handle(record(2_000))
  const message = 's: the stream has dropped records of s, or of what came before it; run lapidary repair'
  expect(errors).toEqual(hasGap ? [message] : [])
  expect((await checkpoint()).gap).toBe(hasGap)
})

test('of a shard whose parent was finished nothing is missing', async () => {
  const { items, handle, errors } = handling({}, [{ shardId: 's', parent: 'p', records: [] }])
  items.put({ ...keyEntry(checkpointKey('p')), finished: { BOOL: true } })
  await handle(record(2_000))
  expect(errors).toEqual([])
})

test('a shard that is new after a long silence has a gap, and one that is not has none', async () => {
  for (const [held, hours, hasGap] of [
    [{}, 18.1, true],
    [{}, 18, false],
    [{ sequenceNumber: { S: '1001' } }, 30, false],
    [{ gaps: { N: '1' } }, 30, false],
  ] as const) {
    const { items, handle, checkpoint } = handling(held, undefined, BEGAN + hours * HOUR)
    items.put({ ...keyEntry({ PK: '~HEARTBEAT', SK: '~' }), caughtUpAt: { N: String(BEGAN) } })
    await handle(record(2_000))
    expect((await checkpoint()).gap).toBe(hasGap)
  }
})

test('a stream that is another one than was counted before has a gap at its first shard, which is told once', async () => {
  const { items, handle, errors, checkpoint, total } = handling()
  items.put({ ...keyEntry({ PK: '~COUNTED', SK: '~' }), arn: { S: 'before' } })
  for (const sequence of [2_000, 2_001]) await handle(record(sequence))
  const message =
    'another stream was counted before arn, and what was written in between is in none; run lapidary repair'
  expect(errors).toEqual([`s: ${message}`])
  expect(await checkpoint()).toMatchObject({ gap: true, gaps: 1, sequenceNumber: '2001' })
  expect(total()).toBe('2')
})

test('whether records are gone is looked for once by a process, and a stream that can not be asked keeps back nothing', async () => {
  const { handler, errors, total } = handling({ sequenceNumber: { S: '1001' } }, [
    { shardId: 's', records: [], trimmedTo: '1005' },
  ])
  const one = handler()
  for (const sequence of [2_000, 2_001]) await one({ Records: [record(sequence)], shardId: 's', eventSourceARN: 'arn' })
  expect([errors.length, total()]).toEqual([1, '2'])
  const failing = handling()
  const runner = createRunner({ table: failing.items, projections: [values] })
  const streams = {
    send: () => Promise.reject(Object.assign(new Error('denied'), { name: 'AccessDeniedException' })),
  } as never
  await createStreamHandler({ runner, streams })({ Records: [record(2_000)], shardId: 's' })
  expect(failing.total()).toBe('1')
})

test('batches that overtake each other are told, with what to set', async () => {
  const held = (lambda: string): Entry => ({ sequenceNumber: { S: '1005' }, lambda: { S: lambda } })
  const told = async (lambda: string, ...sequences: number[]): Promise<string[]> => {
    const { handle, errors } = handling(held(lambda))
    await handle(...sequences.map((sequence) => record(sequence)))
    return errors
  }
  expect(await told('1005', 1_004, 1_006)).toEqual([
    's: batches of s overtake each other, and records are passed over; set ParallelizationFactor to 1, then run lapidary repair',
  ])
  expect(await told('1005', 1_004, 1_005, 1_006)).toEqual([])
  expect(await told('1005', 1_006, 1_007)).toEqual([])
  expect(await told('1005', 1_003, 1_004)).toEqual([])
  // Another than Lambda has moved the checkpoint.
  expect(await told('1004', 1_004, 1_006)).toEqual([])
})

/** Delivers batches as Lambda does: what failed, and the rest of its batch, comes again before the next one. */
async function deliver({ handler }: ReturnType<typeof handling>, ...batches: readonly number[][]): Promise<void> {
  const one = handler()
  for (const batch of batches) {
    for (let [left, tries] = [batch, 0]; left.length > 0; tries++) {
      expect(tries).toBeLessThan(5)
      const Records = left.map((sequence) => record(sequence))
      const { batchItemFailures } = await one({ Records, shardId: 's' })
      const first = Number(batchItemFailures[0]?.itemIdentifier ?? Number.POSITIVE_INFINITY)
      left = left.filter((sequence) => sequence >= first)
    }
  }
}

test.each(['notes', 'listings'] as const)('a loss is noted, though %s are throttled at first', async (what) => {
  const setting = handling({ sequenceNumber: { S: '1001' } }, [{ shardId: 's', records: [], trimmedTo: '1500' }])
  setting.failing[what] = 1
  await deliver(setting, [2_000], [2_001], [2_002])
  expect(await setting.checkpoint()).toMatchObject({ sequenceNumber: '2002', gap: true, gaps: 1 })
  expect(setting.total()).toBe('3')
})

test.each(['notes', 'commits'] as const)(
  'an overtaken batch is noted, though %s are throttled at first',
  async (what) => {
    const setting = handling({ sequenceNumber: { S: '1005' }, lambda: { S: '1005' } })
    setting.failing[what] = 1
    await deliver(setting, [1_004, 1_006])
    expect(await setting.checkpoint()).toMatchObject({ sequenceNumber: '1006', gap: true, gaps: 1 })
  },
)

test('a handler of a store apart says that the store is to be made anew', async () => {
  const { items } = handling()
  const errors: string[] = []
  const runner = createRunner({ table: items, projections: [], follower: 'files' })
  const shards: StubShard[] = [{ shardId: 's', parent: 'gone', records: [] }]
  const onError = (error: unknown): void => void errors.push((error as Error).message)
  await createStreamHandler({ runner, streams: stubStreams(shards), onError })({
    Records: [record(2_000)],
    shardId: 's',
  })
  expect(errors).toEqual([
    'the stream has dropped records of s, or of what came before it; make anew what is kept in files',
  ])
})

test('a stream that can not be asked is waited for, for five minutes, and counted without a look then', async () => {
  const { items } = handling()
  let now = BEGAN
  const errors: unknown[] = []
  const streams = { send: () => Promise.reject(new Error('ENOTFOUND')) } as never
  const runner = createRunner({ table: items, projections: [values] })
  const handler = createStreamHandler({ runner, streams, clock: () => now, onError: (error) => errors.push(error) })
  const deliver = async (sequence: number): Promise<number> => {
    const { batchItemFailures } = await handler({ Records: [record(sequence)], shardId: 's', eventSourceARN: 'arn' })
    return batchItemFailures.length
  }
  const failures: number[] = []
  for (let minute = 0; minute < 7; minute++) {
    failures.push(await deliver(2_000 + minute))
    now += 60_000
  }
  expect(failures).toEqual([1, 1, 1, 1, 1, 0, 0])
  expect(errors).toHaveLength(7)
  expect((await readCheckpoint(items, 's')).sequenceNumber).toBe('2006')
})

test('a process that begins with many shards lists them once, and not where something is counted', async () => {
  const shards: StubShard[] = ['s', 't', 'u'].map((shardId) => ({ shardId, records: [] }))
  const { items } = handling()
  let listings = 0
  const stub = stubStreams(shards)
  const streams = {
    send(command: object) {
      if (command.constructor.name === 'DescribeStreamCommand') listings += 1
      return stub.send(command as never)
    },
  } as unknown as typeof stub
  const runner = createRunner({ table: items, projections: [values] })
  const begin = () => createStreamHandler({ runner, streams })
  const one = begin()
  const deliver = (shardId: string, sequence: number, by = one) =>
    by({ Records: [record(sequence)], shardId, eventSourceARN: 'arn' })
  for (const [i, { shardId }] of shards.entries()) await deliver(shardId, 2_000 + i)
  expect(listings).toBe(1)
  const another = begin()
  for (const [i, { shardId }] of shards.entries()) await deliver(shardId, 2_010 + i, another)
  expect(listings).toBe(1)
  // One that is not listed yet is looked for.
  shards.push({ shardId: 'v', records: [] })
  await deliver('v', 2_020)
  expect(listings).toBe(2)
  expect((await readCheckpoint(items, 'v')).sequenceNumber).toBe('2020')
})
