import { setTimeout as sleep } from 'node:timers/promises'
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  type GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import type { SumProjection } from '../derived/sum-projection.ts'
import type { Entry } from '../model/entry.ts'
import { checkpointOf } from '../stream/checkpoint.ts'
import { followChanges } from './change-log.ts'
import { createProbes } from './probes.ts'
import { Tally } from './tally.ts'
import { Truth } from './truth.ts'

/** How many items have each value. */
const values: SumProjection = {
  name: 'values',
  collection: 'X',
  dated: false,
  isItem: ({ PK }) => PK.startsWith('X#'),
  contributions: ({ v }) => [{ target: { PK: '~values#X#~', SK: v?.S ?? '' }, amounts: { count: 1 } }],
  owns: ({ PK }) => PK.startsWith('~values#X#'),
  entryOf: (_, { count = 0 }) => (count === 0 ? undefined : { count: { N: String(count) } }),
  amountsOf: ({ count }) => ({ count: Number(count?.N ?? 0) }),
}

const key = { PK: { S: 'X#1' }, SK: { S: '~' } }
const image = (v: string): Entry => ({ ...key, v: { S: v } })
const record = (at: number, OldImage: Entry | undefined, NewImage: Entry, Keys: Entry = key) => ({
  dynamodb: { Keys, SequenceNumber: String(at), OldImage, NewImage, ApproximateCreationDateTime: new Date() },
})

type Checkpoints = Record<string, Record<string, AttributeValue>>

interface FakeShard {
  readonly parent?: string
  readonly closed?: boolean
  readonly records: ReturnType<typeof record>[]
  /** Not listed, or nothing of it is told. */
  hidden?: boolean
  /** Its first records are gone. */
  readonly isTrimmed?: boolean
}

interface World {
  readonly shards: Readonly<Record<string, FakeShard>>
  readonly checkpoints?: Checkpoints
  /** The shard of the nth item that is written. */
  readonly shardOf: (n: number) => string
  /** Told of each checkpoint that is read. */
  readonly onRead?: () => void
  readonly isListed?: boolean
  /** The time of day. */
  readonly clock?: () => number
}

/** A log over a table and a stream that are as told, and the truth that it keeps. */
async function openLog({
  shards,
  checkpoints = {},
  shardOf,
  onRead = () => {},
  isListed = false,
  clock = Date.now,
}: World) {
  let writes = 0
  const table = {
    tableName: 't',
    random: () => 0,
    sleep: (milliseconds: number) => sleep(milliseconds / 20),
    async send(command: unknown) {
      if (command instanceof GetItemCommand) {
        const Item = checkpoints[command.input.Key?.PK?.S ?? '']
        onRead()
        return { Item }
      }
      if (command instanceof PutItemCommand) {
        const Item = command.input.Item as Entry
        shards[shardOf(writes)]?.records.push(record(1_000 + writes++, undefined, Item, Item))
      }
      return {}
    },
  }
  const streams = {
    async send(command: unknown) {
      if (command instanceof DescribeStreamCommand) {
        const listed = Object.entries(shards).filter(([, { hidden = false }]) => isListed || !hidden)
        const SequenceNumberRange = { StartingSequenceNumber: '100' }
        const Shards = listed.map(([ShardId, { parent: ParentShardId }]) => ({
          ...{ ShardId, ParentShardId, SequenceNumberRange },
        }))
        return { StreamDescription: { Shards } }
      }
      if (command instanceof GetShardIteratorCommand) {
        const { ShardId = '', ShardIteratorType, SequenceNumber = 0 } = command.input
        if (ShardIteratorType === 'AT_SEQUENCE_NUMBER' && shards[ShardId]?.isTrimmed === true) {
          throw Object.assign(new Error('gone'), { name: 'TrimmedDataAccessException' })
        }
        return { ShardIterator: `${ShardId}:${SequenceNumber}` }
      }
      const [id = '', at] = ((command as GetRecordsCommand).input.ShardIterator ?? '').split(':')
      const { closed = false, hidden = false, records = [] } = shards[id] ?? {}
      const Records = hidden ? [] : records.filter(({ dynamodb }) => Number(dynamodb.SequenceNumber) > Number(at))
      const last = Records.at(-1)?.dynamodb.SequenceNumber ?? at
      return { Records, ...(closed ? {} : { NextShardIterator: `${id}:${last}` }) }
    },
  }
  const truth = new Truth(new Tally([values]))
  const probes = createProbes(table as never, table as never, Date.now)
  // Seconds pass in milliseconds.
  const started = Date.now()
  const now = (): number => started + 20 * (Date.now() - started)
  const log = await followChanges({
    ...{ table, streams, arn: 'a', truth, probes, idleMs: 1, clock, now, listedMs: 50_000 },
  } as never)
  const held = () =>
    Object.fromEntries(truth.tally.targets.map((target) => [target.key.SK, truth.tally.amountsOf(target).count ?? 0]))
  return { log, truth, held, writes: () => writes, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() }
}

const at = (sequenceNumber: string, finished = false) =>
  checkpointOf({ sequenceNumber: { S: sequenceNumber }, finished: { BOOL: finished } })

/** Whether something is still under way after a while: a longer one where it is to be over, since the machine may be slow. */
const isWaiting = async (work: Promise<unknown>, afterMs = 100): Promise<boolean> =>
  (await Promise.race([work, sleep(afterMs, 'waiting')])) === 'waiting'

test.each<[string, Checkpoints, Checkpoints]>([
  [
    'the runner goes on to a child while checkpoints are read',
    { '~STREAM#P': { sequenceNumber: { S: '101' } } },
    {
      '~STREAM#P': { sequenceNumber: { S: '107' }, finished: { BOOL: true } },
      '~STREAM#C': { sequenceNumber: { S: '202' } },
    },
  ],
  [
    "a child's backlog was skipped and not its parent's",
    { '~STREAM#C': { sequenceNumber: { S: '202' }, gap: { BOOL: true }, gaps: { N: '1' } } },
    {},
  ],
])('the truth is exact where %s', async (_, checkpoints, afterFirst) => {
  const shards = {
    P: { closed: true, records: [record(107, undefined, image('v1'))] },
    C: { parent: 'P', records: [record(202, image('v1'), image('v2'))] },
  }
  const onRead = () => void Object.assign(checkpoints, afterFirst)
  await using world = await openLog({ shards, checkpoints, onRead, shardOf: () => 'C' })
  world.truth.scanned({ PK: 'X#1', SK: '~' }, image('v2'))
  await world.log.readAll()
  const counted = new Map([
    ['P', at('107', true)],
    ['C', at('202')],
  ])
  for (let taken = false; !taken; ) taken = await world.log.takeTo(counted)
  expect(world.held()).toEqual({ v1: 0, v2: 1 })
})

test('the log is not at its end while the other half of a closed shard is not listed', async () => {
  const late: FakeShard = { parent: 'P', records: [record(202, image('v1'), image('v2'))], hidden: true }
  const shards = { P: { closed: true, records: [] }, A: { parent: 'P', records: [] }, B: late }
  await using world = await openLog({ shards, shardOf: (n) => (n % 2 === 0 ? 'A' : 'B') })
  const read = world.log.readAll()
  expect(await isWaiting(read)).toBe(true)
  late.hidden = false
  await read
  expect(world.log.pending).toBe(1)
})

test('the log is not at its end while a shard that hardly any key is in tells nothing; more probes find it', async () => {
  const small: FakeShard = { records: [record(202, image('v1'), image('v2'))], hidden: true }
  const shards = { A: { records: [] }, B: small }
  await using world = await openLog({ shards, isListed: true, shardOf: (n) => (n < 40 ? 'A' : 'B') })
  const read = world.log.readAll()
  expect(await isWaiting(read)).toBe(true)
  small.hidden = false
  await read
  expect(world.log.pending).toBe(1)
  expect(world.writes()).toBeGreaterThan(40)
})

test('probes that were written before a shard was split do not say that both halves are listed', async () => {
  const P: FakeShard & { closed: boolean } = { closed: false, records: [] }
  const late: FakeShard = { parent: 'P', records: [record(202, image('v1'), image('v2'))], hidden: true }
  const A: FakeShard = { parent: 'P', records: [], hidden: true }
  const shardOf = (n: number): string => {
    if (n < 15) return 'P'
    ;[P.closed, A.hidden] = [true, false]
    return n % 2 === 1 ? 'A' : 'B'
  }
  await using world = await openLog({ shards: { P, A, B: late }, shardOf })
  const wasOpen = await world.log.readAll()
  expect(world.log.open().map((shard) => [shard.shardId, wasOpen(shard)])).toEqual([
    ['P', true],
    ['A', true],
  ])
  const taken = world.log.takeTo(new Map([['P', at('1014', true)]]))
  expect(await isWaiting(taken)).toBe(true)
  late.hidden = false
  expect(await taken).toBe(false)
  expect(world.log.open().map(({ shardId }) => shardId)).toEqual(['A', 'B'])
})

test('a closed shard is never the end, however long nothing follows it', async () => {
  const late: FakeShard = { parent: 'P', records: [], hidden: true }
  const shards = { P: { closed: true, records: [record(107, undefined, image('v1'))] }, C: late }
  await using world = await openLog({ shards, shardOf: () => 'C' })
  const read = world.log.readAll()
  expect(await isWaiting(read)).toBe(true)
  late.hidden = false
  await read
})

test('what follows a closed shard and is not listed for minutes is given up, however often leases are renewed in others', async () => {
  const other: FakeShard = { records: [] }
  const late: FakeShard = { parent: 'P', records: [], hidden: true }
  const shards = { P: { closed: true, records: [] }, C: late, other }
  await using world = await openLog({ shards, shardOf: (n) => (n % 2 === 0 ? 'C' : 'other') })
  let renewals = 5_000
  const renewing = setInterval(() => other.records.push(record(renewals++, undefined, image('q'))), 20)
  await expect(world.log.readAll()).rejects.toMatchObject({ code: 'unavailable' })
  clearInterval(renewing)
})

const MINUTE_MS = 60_000
const shardOpened = (at: number, name: string) => `shardId-${String(at).padStart(20, '0')}-${name}`

test.each([
  ['has just been opened, until the other is', 0, true],
  ['was opened a minute before, at once', MINUTE_MS, false],
])(
  'where the other half of a shard is too small for any probe, and may not be listed yet, one that %s',
  async (_, agoMs, waits) => {
    const [A, small] = [shardOpened(Date.now() - agoMs, 'a'), shardOpened(Date.now() - agoMs, 'b')]
    const late: FakeShard = { parent: 'P', records: [record(202, image('v1'), image('v2'))], hidden: true }
    const shards = { P: { closed: true, records: [] }, [A]: { parent: 'P', records: [] }, [small]: late }
    await using world = await openLog({ shards, shardOf: () => (late.hidden === true ? A : small) })
    const read = world.log.readAll()
    // A listing is waited for for two and a half seconds here.
    expect(await isWaiting(read, waits ? 100 : 2_000)).toBe(waits)
    late.hidden = false
    await read
    expect(world.log.pending).toBe(waits ? 1 : 0)
  },
)

test('half of a shard that nothing follows is waited for no longer than shards are listed late', async () => {
  const A = shardOpened(Date.now(), 'a')
  await using world = await openLog({
    shards: { P: { closed: true, records: [] }, [A]: { parent: 'P', records: [] } },
    shardOf: () => A,
  })
  const began = Date.now()
  await world.log.readAll()
  expect(Date.now() - began).toBeGreaterThan(1_000)
})

test('a clock that is put back holds nothing up', async () => {
  const late: FakeShard = { parent: 'P', records: [], hidden: true }
  let backMs = 0
  await using world = await openLog({
    shards: { P: { closed: true, records: [] }, C: late },
    shardOf: () => 'C',
    clock: () => Date.now() - backMs,
  })
  const read = world.log.readAll()
  backMs = 60 * MINUTE_MS
  late.hidden = false
  await read
})

test('what is listed later has to be whole: an item that changed before would have a wrong image', async () => {
  const late: FakeShard = {
    parent: 'P',
    records: [record(300, image('v2'), image('v3'))],
    hidden: true,
    isTrimmed: true,
  }
  await using world = await openLog({ shards: { P: { closed: true, records: [] }, C: late }, shardOf: () => 'C' })
  late.hidden = false
  await expect(world.log.readAll()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the change stream dropped records of C before they were read; run it again, with more capacity',
  })
})

test('a snapshot is not taken while a part of what follows a finished shard is not listed', async () => {
  const P: { closed: boolean; records: ReturnType<typeof record>[] } = { closed: false, records: [] }
  const late: FakeShard = { parent: 'P', records: [record(202, undefined, image('v1'))], hidden: true }
  const A: FakeShard = { parent: 'P', records: [], hidden: true }
  let open = 'P'
  await using world = await openLog({
    shards: { P, A, B: late },
    shardOf: (n) => (open === 'P' ? 'P' : n % 2 === 0 ? 'A' : 'B'),
  })
  await world.log.readAll()
  // The shard is split; the runner has finished it and counted in both halves, of which one is listed.
  ;[P.closed, A.hidden, open] = [true, false, 'halves']
  const snapshot = new Map([
    ['P', at('999', true)],
    ['A', at('1')],
  ])
  await sleep(20)
  const taken = world.log.takeTo(snapshot)
  expect(await isWaiting(taken)).toBe(true)
  late.hidden = false
  expect(await taken).toBe(false)
  expect(world.log.open().map(({ shardId }) => shardId)).toContain('B')
})

test('few probes in a shard are no proof, since its other half may not be listed', async () => {
  const shards = { A: { records: [] }, C: { records: [] } }
  await using world = await openLog({ shards, shardOf: (n) => (n < 7 || n >= 32 ? 'A' : 'C') })
  await world.log.readAll()
  expect(world.writes()).toBe(64)
})

test('where shards close meanwhile, as those that are full of probes do, no more are written', async () => {
  const shards: Record<string, FakeShard & { closed?: boolean }> = { s0: { records: [] } }
  let last = 0
  const shardOf = (n: number): string => {
    const shardId = `s${last}`
    if (n % 10 === 9 && last < 4) {
      Object.assign(shards[shardId] as FakeShard, { closed: true })
      last += 1
      shards[`s${last}`] = { parent: shardId, records: [] }
    }
    return shardId
  }
  await using world = await openLog({ shards, shardOf })
  await world.log.readAll()
  expect(world.writes()).toBe(16)
})

test('a shard that no probe comes into is read to its end once what is written to it says so', async () => {
  const hot: FakeShard = { records: [] }
  await using world = await openLog({ shards: { hot, other: { records: [] } }, shardOf: () => 'other' })
  const began = Date.now()
  const written = (aheadMs: number) =>
    Object.assign(record(10_000 + hot.records.length, undefined, image('q')).dynamodb, {
      ApproximateCreationDateTime: new Date(began + aheadMs),
    })
  const read = world.log.readAll()
  hot.records.push({ dynamodb: written(4_000) })
  expect(await isWaiting(read)).toBe(true)
  hot.records.push({ dynamodb: written(6_000) })
  const wasOpen = await read
  expect(world.log.open().map(wasOpen)).toEqual([true, true])
  expect(world.log.pending).toBe(2)
})

test('a shard that closes over few probes is read to its end once more are in what follows it', async () => {
  const P: FakeShard & { closed: boolean } = { closed: false, records: [] }
  const C: FakeShard = { parent: 'P', records: [], hidden: true }
  const shardOf = (n: number): string => {
    if (n < 3) return 'P'
    ;[P.closed, C.hidden] = [true, false]
    return n >= 32 && n % 2 === 0 ? 'C' : 'other'
  }
  await using world = await openLog({ shards: { P, C, other: { records: [] } }, shardOf })
  await world.log.readAll()
  expect(world.writes()).toBe(64)
})

test('a shard that no probe comes into is named, though others go on', async () => {
  const other: FakeShard = { records: [] }
  await using world = await openLog({ shards: { one: { records: [] }, other }, shardOf: () => 'other' })
  let others = 0
  const going = setInterval(() => {
    others += 1e-6
    other.records.push(record(999 + world.writes() + others, undefined, image('q')))
  }, 20)
  await expect(world.log.readAll()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(
      "one can't be proven to be read to its end: of 16384 test items too few came into it",
    ),
  })
  clearInterval(going)
})

test('of a closed shard it is not known what follows it until all is read past its end', async () => {
  const shards: World['shards'] & { s: FakeShard & { closed?: boolean }; t: FakeShard } = {
    s: { records: [] },
    t: { parent: 's', records: [], hidden: true },
  }
  await using setting = await openLog({ shards, shardOf: () => (shards.t.hidden ? 's' : 't') })
  const { log } = setting
  const unproven = () => log.unproven().map(({ shardId, ended }) => [shardId, ended])
  await log.readAll()
  expect(unproven()).toEqual([['s', false]])
  shards.s.records.push(record(2_000, undefined, image('q')))
  Object.assign(shards.s, { closed: true })
  await expect.poll(unproven).toEqual([['s', true]])
  shards.t.hidden = false
  await log.readAll()
  expect(unproven()).toEqual([['t', false]])
})
