import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change } from '../derived/change.ts'
import { checkpointOf } from '../stream/checkpoint.ts'
import { Lineage } from '../stream/lineage.ts'
import { EndOfLog } from './end-of-log.ts'
import { LogShard } from './log-shard.ts'

const BEGAN = 1_800_000_000_000
const LISTED_MS = 50_000

/** A look at shards, of each its parent; a shard is found at the time 0. */
function looking(parents: Readonly<Record<string, string | undefined>>, latestAt = 0) {
  const shards = Object.entries(parents).map(
    ([shardId, parentShardId]) =>
      new LogShard({ shardId, parentShardId, start: undefined }, { late: false, at: 0 }, checkpointOf(undefined)),
  )
  const written: number[] = []
  const state = { unseen: 0, now: LISTED_MS }
  const probes = {
    write: async (_: number, count: number) => void written.push(count),
    unseen: () => state.unseen,
  }
  const table = { sleep: async () => {} }
  const options = { ...{ probes, table, clock: () => BEGAN, listedMs: LISTED_MS }, now: () => state.now }
  const log = { lineage: new Lineage(shards), latestAt }
  const look = new EndOfLog(log, options as never, 2)
  const named = (shardId: string): LogShard => log.lineage.get(shardId) as LogShard
  /** Has read so many probes of a shard. */
  const meets = (shardId: string, probes: number, of = 2): void => {
    for (let i = 0; i < probes; i++) {
      named(shardId).met(of)
      look.see({ at: BEGAN } as Change, of)
    }
  }
  const isProven = (): boolean => look.left() === undefined
  return { log, look, state, written, named, meets, isProven }
}

test('a shard is at its end once enough probes are in it and in what follows it, and each of them is seen', () => {
  const { isProven, meets, state } = looking({ s: undefined, t: 's' })
  meets('s', 1)
  meets('t', 6)
  expect(isProven()).toBe(false)
  meets('t', 1)
  expect(isProven()).toBe(true)
  state.unseen = 1
  expect(isProven()).toBe(false)
})

test('probes of a look before prove nothing, and those of a later one do', () => {
  const { isProven, meets } = looking({ s: undefined })
  meets('s', 20, 1)
  expect(isProven()).toBe(false)
  meets('s', 8, 3)
  expect(isProven()).toBe(true)
})

test('of a shard that closed before, all that follow it hold the probes, and are known to be all', () => {
  const { isProven, meets, look, named } = looking({ s: undefined, a: 's', b: 's', c: 'b' })
  meets('a', 8)
  expect(isProven()).toBe(false)
  meets('c', 8)
  expect(isProven()).toBe(true)
  look.prove()
  expect(['s', 'a', 'b', 'c'].map((id) => [named(id).followed, look.wasOpen(named(id))])).toEqual([
    ...[
      [true, false],
      [false, true],
      [true, false],
      [false, true],
    ],
  ])
})

test('what follows a shard alone is waited for, unless it was opened or found long ago', () => {
  const opened = (at: number): string => `shardId-${String(at).padStart(20, '0')}-a`
  for (const [foundMs, openedMs, isWaiting] of [
    [LISTED_MS - 1, LISTED_MS - 1, true],
    [LISTED_MS, LISTED_MS - 1, false],
    [LISTED_MS - 1, LISTED_MS, false],
  ] as const) {
    const half = opened(BEGAN - openedMs)
    const { isProven, meets, state, log } = looking({ s: undefined, [half]: 's' })
    meets(half, 8)
    state.now = foundMs
    log.latestAt = BEGAN
    expect(isProven()).toBe(!isWaiting)
  }
})

test('what is written to a shard surely later than the probes says as much as they do', () => {
  const { isProven, named, meets, look } = looking({ hot: undefined, other: undefined })
  named('hot').lastAt = BEGAN + 60_000
  // Of a look before.
  meets('other', 8, 1)
  expect([isProven(), look.wasOpen(named('hot'))]).toEqual([false, false])
  meets('other', 8)
  expect([isProven(), look.wasOpen(named('hot'))]).toEqual([true, true])
  named('hot').lastAt = BEGAN + 5_000
  expect([isProven(), look.wasOpen(named('hot'))]).toEqual([false, false])
})

test('probes are doubled while a shard lacks some and all are seen, and it is named at last', async () => {
  const { look, written, state } = looking({ s: undefined, t: 's', u: undefined })
  await look.write()
  expect(written).toEqual([32])
  state.unseen = 1
  await look.writeMore()
  expect(written).toEqual([32])
  state.unseen = 0
  for (let i = 0; i < 9; i++) await look.writeMore()
  expect(written.reduce((sum, each) => sum + each)).toBe(16_384)
  await expect(look.writeMore()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^t, u can't be proven to be read to its end: of 16384 test items too few/),
  })
})

test('of a stream that lists nothing yet as many probes are written as for one shard', async () => {
  const { look, written } = looking({})
  await look.write()
  expect(written).toEqual([16])
})

test('a change is from before a look by whichever clock is ahead', () => {
  const { look } = looking({ s: undefined }, BEGAN + 10)
  const before = look.left()
  look.see({ at: BEGAN + 10 } as Change, undefined)
  expect(look.left()).toBe(before)
  look.see({ at: BEGAN + 9 } as Change, undefined)
  expect(look.left()).not.toBe(before)
})

test('what is read of a backlog, or listed, is a sign, and what is written meanwhile is none', () => {
  const { look, log } = looking({ s: undefined })
  const before = look.left()
  look.see({ at: BEGAN } as Change, undefined)
  expect(look.left()).toBe(before)
  look.see({ at: BEGAN - 1 } as Change, undefined)
  const after = look.left()
  expect(after).not.toBe(before)
  const shard = log.lineage.get('s') as LogShard
  log.lineage = new Lineage([
    shard,
    new LogShard({ ...shard.shard, shardId: 't' }, shard.found, checkpointOf(undefined)),
  ])
  expect(look.left()).not.toBe(after)
})

/** A shard of a made-up stream: a part of the keys, and what was written to it in order. */
interface Made {
  readonly shardId: string
  readonly parentShardId: string | undefined
  readonly from: number
  readonly to: number
  readonly records: { readonly at: number; readonly isProbe: boolean }[]
  isClosed: boolean
}

/** A stream to which is written, whose shards close, split or not, and of which a reader has come to some place in each shard. */
class MadeStream {
  readonly shards: Made[] = [0, 1].map((i) => made(`s${i}`, undefined, i / 2, (i + 1) / 2))
  at = BEGAN - 100

  write(key: number, isProbe: boolean): void {
    this.#openAt(key).records.push({ at: this.at++, isProbe })
  }

  close(key: number, splits: boolean): void {
    const shard = this.#openAt(key)
    const { shardId, from, to } = shard
    const middle = splits ? (from + to) / 2 : to
    shard.isClosed = true
    this.shards.push(made(`${shardId}a`, shardId, from, middle))
    if (splits) this.shards.push(made(`${shardId}b`, shardId, middle, to))
  }

  #openAt(key: number): Made {
    return this.shards.find(({ from, to, isClosed }) => !isClosed && key >= from && key < to) as Made
  }
}

function made(shardId: string, parentShardId: string | undefined, from: number, to: number): Made {
  return { shardId, parentShardId, from, to, records: [], isClosed: false }
}

const key = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), key, splits: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(6_000) }) },
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

function happen(stream: MadeStream, all: readonly Happening[]): void {
  for (const each of all) {
    if (each.kind === 'write') stream.write(each.key, false)
    else if (each.kind === 'close') stream.close(each.key, each.splits)
    else stream.at += each.ms
  }
}

/** How many records of each listed shard are read. What follows a shard may not be listed, and is read after it. */
function readOf({ shards }: MadeStream, draw: () => number): ReadonlyMap<string, number> {
  const read = new Map<string, number>()
  const ended = new Set<string | undefined>([undefined])
  for (const { shardId, parentShardId, records, isClosed } of shards) {
    const isListed = parentShardId === undefined || (read.has(parentShardId) && draw() > 0)
    if (!isListed) continue
    const left = ended.has(parentShardId) ? (draw() > 1 ? 0 : draw()) : records.length
    read.set(shardId, Math.max(0, records.length - left))
    if (ended.has(parentShardId) && left === 0 && isClosed) ended.add(shardId)
  }
  return read
}

test('whatever a stream does, what is proven to be at its end has all that was written before', () => {
  let proven = 0
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 20 }),
      fc.array(fc.tuple(key, fc.array(happening, { maxLength: 1 })), { minLength: 16, maxLength: 60 }),
      fc.array(happening, { maxLength: 10 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
      (before, probed, after, places) => {
        const stream = new MadeStream()
        happen(stream, before)
        stream.at = Math.max(stream.at, BEGAN)
        const since = stream.at
        for (const [at, meanwhile] of probed) {
          stream.write(at, true)
          happen(stream, meanwhile)
        }
        happen(stream, after)
        const read = readOf(stream, () => places.next().value as number)
        const listed = stream.shards.filter(({ shardId }) => read.has(shardId))
        const setting = looking(
          Object.fromEntries(listed.map(({ shardId, parentShardId }) => [shardId, parentShardId])),
        )
        setting.state.now = 0
        setting.log.latestAt = since
        for (const { shardId, records } of listed) {
          for (const { at, isProbe } of records.slice(0, read.get(shardId))) {
            const shard = setting.named(shardId)
            shard.lastAt = at
            if (isProbe) shard.met(2)
            setting.look.see({ at } as Change, isProbe ? 2 : undefined)
          }
        }
        const lost = stream.shards.flatMap(({ shardId, records }) => records.slice(read.get(shardId) ?? 0))
        setting.state.unseen = lost.filter(({ isProbe }) => isProbe).length
        if (!setting.isProven()) return
        proven += 1
        expect(lost.filter(({ at }) => at < since)).toEqual([])
      },
    ),
    { numRuns: 2_000 },
  )
  expect(proven).toBeGreaterThan(20)
})
