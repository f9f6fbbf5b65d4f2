import type { _Record } from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import { values } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { stubStreams } from '../../test/stream/stub-streams.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { checkpointKey, readCheckpoint } from './checkpoint.ts'
import type { Counted } from './counting.ts'
import { leaseOf } from './lease.ts'
import { createRunner } from './runner.ts'
import { ShardLane } from './shard-lane.ts'

const MINUTE = 60_000
const BEGAN = 1_800_000_000_000

/** A record that makes an item of `X`, or something that no projection follows. */
const record = (sequence: number, PK = `X#${sequence}`, at = BEGAN): _Record => ({
  dynamodb: {
    ...{ Keys: keyEntry({ PK, SK: '~' }), NewImage: { v: { S: 'q' }, scope: { S: 'a' } } },
    ...{ SequenceNumber: String(sequence), ApproximateCreationDateTime: new Date(at) },
  },
})
const nothing = (sequence: number): _Record => record(sequence, 'Y#1')

function laneOf({
  held = {},
  trimmedTo,
  isPassed = false,
  isFollowed = false,
}: {
  held?: Entry
  trimmedTo?: string
  isPassed?: boolean
  isFollowed?: boolean
} = {}) {
  const items = memoryItems()
  items.put({ ...keyEntry(checkpointKey('s')), owner: { S: 'mine' }, ...held })
  const records: _Record[] = []
  const shard = { shardId: 's', records, closed: false, ...(trimmedTo === undefined ? {} : { trimmedTo }) }
  let now = BEGAN
  const runner = createRunner({ table: { ...items, random: () => 1 }, projections: [values] })
  const clock = (): number => now
  const lane = new ShardLane({
    ...{ runner, idleMs: 100, quietMs: 150, clock },
    source: { streams: stubStreams([shard]), arn: 'arn', shard: { shardId: 's', start: '1000' } },
    lease: leaseOf(items, { key: checkpointKey('s'), owner: 'mine', leaseMs: MINUTE, clock }),
    isPassed: async () => isPassed,
    isFollowed: () => isFollowed,
  })
  /** One round: what is read is counted; tells what became of the lane. */
  const round = async (nextAt = 0): Promise<string> => {
    if (lane.batch === undefined) await lane.read()
    while ((lane.batch?.changes.length ?? 0) > 0) {
      const { counted } = await runner.countNext(lane.batch === undefined ? [] : [lane.batch])
      lane.takeIn(counted.get(lane) as Counted)
    }
    return lane.endRound(nextAt)
  }
  const pass = (milliseconds: number): void => {
    now += milliseconds
  }
  const checkpoint = () => readCheckpoint(items, 's')
  return { items, shard, records, lane, round, pass, checkpoint, since: () => lane.dueAt - now }
}

test('a lane begins at its checkpoint, and counts what follows', async () => {
  const { lane, records, round, checkpoint, items } = laneOf({ held: { sequenceNumber: { S: '1001' } } })
  records.push(record(1_001), record(1_002))
  expect([lane.shardId, lane.owner, lane.isBusy, lane.isReading]).toEqual(['s', 'mine', false, false])
  const reading = lane.read()
  expect(lane.isReading).toBe(true)
  await reading
  expect([lane.isReading, lane.isBusy, lane.batch?.changes.length]).toEqual([false, true, 1])
  expect(await round()).toBe('open')
  expect(await checkpoint()).toMatchObject({ sequenceNumber: '1002' })
  expect(items.get({ PK: '~values#X#a', SK: '~' })?.count_q?.N).toBe('1')
  expect([lane.batch, lane.isBusy]).toEqual([undefined, false])
})

test('a lane that counts something is read when the next commit is due, and one that does not ever later', async () => {
  const { records, lane, round, since } = laneOf()
  records.push(record(1_001))
  await round(BEGAN + 777)
  expect(lane.dueAt).toBe(BEGAN + 777)
  const waits: number[] = []
  for (let i = 0; i < 6; i++) {
    await round(BEGAN + 777)
    waits.push(Math.round(since()))
  }
  expect(waits).toEqual([100, 110, 121, 133, 146, 150])
  records.push(record(1_002))
  await round(BEGAN + 777)
  await round(BEGAN + 777)
  expect(since()).toBe(100)
})

test('a lane that was read to its end has caught up when that read began, and one that was not is as old as its last record', async () => {
  const { records, lane, round, pass, since } = laneOf()
  for (let i = 0; i < 1_000; i++) records.push(record(1_001 + i, `X#${i % 3}`, BEGAN - MINUTE))
  await round(BEGAN + 5)
  expect([lane.caughtUpAt, lane.lastRecordAt, lane.isBusy, lane.dueAt]).toEqual([undefined, BEGAN - MINUTE, true, 0])
  pass(7)
  await round()
  expect([lane.caughtUpAt, lane.isBusy]).toEqual([BEGAN + 7, false])
  expect(since()).toBe(100)
})

test('records that change nothing do not say that counts are behind', async () => {
  const { records, lane, round } = laneOf()
  for (let i = 0; i < 1_000; i++) records.push(nothing(1_001 + i))
  await round()
  expect([lane.caughtUpAt, lane.lastRecordAt, lane.dueAt]).toEqual([undefined, undefined, 0])
})

test('a checkpoint moves over records that change nothing once a quarter of an hour', async () => {
  const { records, round, pass, checkpoint } = laneOf()
  const after = async (milliseconds: number, sequence: number) => {
    pass(milliseconds)
    records.push(nothing(sequence))
    await round()
    return (await checkpoint()).sequenceNumber
  }
  expect(await after(0, 1_001)).toBeUndefined()
  expect(await after(15 * MINUTE, 1_002)).toBeUndefined()
  expect(await after(1, 1_003)).toBe('1003')
  expect(await after(15 * MINUTE, 1_004)).toBe('1003')
  expect(await after(1, 1_005)).toBe('1005')
  // One that was moved by what was counted waits as long again.
  records.push(record(1_006))
  expect(await after(MINUTE, 1_007)).toBe('1006')
  expect(await after(15 * MINUTE, 1_008)).toBe('1006')
  expect(await after(1, 1_009)).toBe('1009')
})

test('a checkpoint is not moved where nothing was read that is beyond it', async () => {
  const { items, round, pass } = laneOf({ held: { sequenceNumber: { S: '1001' } } })
  pass(16 * MINUTE)
  items.sent.length = 0
  await round()
  expect(items.sent.map(({ name }) => name)).toEqual(['GetItem'])
})

test('what was read and not counted is counted, also where the stream first gives nothing behind a lull', async () => {
  const { lane, records, round, checkpoint, pass, items } = laneOf()
  records.push(record(1_001))
  await round()
  pass(16 * MINUTE)
  records.push(record(1_002))
  await lane.read()
  lane.fail()
  const [hidden] = records.splice(1)
  expect(await round()).toBe('open')
  expect(await checkpoint()).toMatchObject({ sequenceNumber: '1001' })
  records.push(...(hidden === undefined ? [] : [hidden]))
  await round()
  expect(await checkpoint()).toMatchObject({ sequenceNumber: '1002' })
  expect(items.get({ PK: '~values#X#a', SK: '~' })?.count_q?.N).toBe('2')
})

test('a shard that others follow is read on without slowing down, and something that it gives is of a backlog', async () => {
  for (const isFollowed of [false, true]) {
    const { lane, records, round, since } = laneOf({ isFollowed })
    const waits: number[] = []
    for (let i = 0; i < 3; i++) {
      await round()
      waits.push(since())
    }
    expect(waits.map(Math.round)).toEqual(isFollowed ? [100, 100, 100] : [100, 110, 121])
    expect(await lane.read()).toBe(false)
    lane.fail()
    records.push(nothing(1_001))
    expect(await lane.read()).toBe(isFollowed)
  }
})

test('records that are gone are noted, and the checkpoint moves past them, unless a later shard is counted', async () => {
  const gone = laneOf({ trimmedTo: '1005' })
  gone.records.push(nothing(1_006))
  await gone.round()
  expect(await gone.checkpoint()).toMatchObject({ gap: true, gaps: 1, sequenceNumber: '1006' })
  const passed = laneOf({ trimmedTo: '1005', isPassed: true })
  passed.records.push(nothing(1_006))
  await passed.round()
  expect(await passed.checkpoint()).toMatchObject({ gap: false, gaps: 0, sequenceNumber: '1006' })
})

test('a shard that is closed is finished once it is counted to its end, by who has the lease', async () => {
  const { shard, records, round, checkpoint } = laneOf()
  shard.closed = true
  records.push(record(1_001))
  expect(await round()).toBe('finished')
  expect(await checkpoint()).toMatchObject({ finished: true, sequenceNumber: '1001', owner: undefined })
  const lost = laneOf()
  lost.shard.closed = true
  await lost.lane.read()
  lost.items.put({ ...keyEntry(checkpointKey('s')), owner: { S: 'other' } })
  expect(await lost.lane.endRound(0)).toBe('lost')
  expect((await lost.checkpoint()).finished).toBe(false)
})

test('a lane that failed begins again from its checkpoint, a little later each time', async () => {
  const { records, lane, round, checkpoint, since } = laneOf()
  records.push(record(1_001), record(1_002))
  const waits: number[] = []
  for (let i = 0; i < 3; i++) {
    await lane.read()
    lane.fail()
    waits.push(since())
    expect([lane.batch, lane.isBusy, lane.failures]).toEqual([undefined, false, i + 1])
  }
  expect(waits).toEqual([100, 150, 250])
  await round()
  expect([lane.failures, (await checkpoint()).sequenceNumber]).toEqual([0, '1002'])
})

test('a read that fails is over', async () => {
  const { lane, shard } = laneOf()
  shard.records.push(record(1_001))
  await lane.read()
  const failing = laneOf()
  failing.items.delete(checkpointKey('s'))
  Object.assign(failing.shard, { shardId: 'elsewhere' })
  await expect(failing.lane.read()).rejects.toThrow('no such shard')
  expect(failing.lane.isReading).toBe(false)
})

test('a checkpoint moves over a thousand records that change nothing at once, and over fewer only with time', async () => {
  const { records, round, checkpoint } = laneOf({ held: { sequenceNumber: { S: '1000' } } })
  records.push(...Array.from({ length: 999 }, (_, i) => nothing(1_001 + i)))
  for (let i = 0; i < 20; i++) await round()
  expect((await checkpoint()).sequenceNumber).toBe('1000')
  records.push(nothing(2_000))
  await round()
  expect((await checkpoint()).sequenceNumber).toBe('2000')
})
