import { expect, test } from 'vitest'
import { countedTable } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { checkpointKey, checkpointOf, readCheckpoints } from '../stream/checkpoint.ts'
import { Lineage } from '../stream/lineage.ts'
import { untilCounted, untilPast } from './catch-up.ts'
import type { Inspection } from './inspection.ts'
import { LogShard } from './log-shard.ts'
import { rebuild } from './mend.ts'
import type { Step } from './truth.ts'

const step = (sequence: number): Step => ({ sequenceNumber: String(sequence), at: 0, before: 0, after: 2 }) as Step

/** An inspection of shards, in which a second passes with each pause and something happens then. */
function inspecting(shards: LogShard[], happens: (second: number) => void = () => {}) {
  let second = 0
  const items = memoryItems()
  const slept: number[] = []
  const meter = { phase: '', total: undefined as number | undefined, counted: (): number => 0 }
  const calls: string[] = []
  const gaps: string[] = []
  const inspection = {
    log: { open: () => shards.filter((shard) => !shard.finished), lineage: new Lineage(shards) },
    meter: {
      enter(phase: string, total: number, counted: () => number) {
        Object.assign(meter, { phase, total, counted })
      },
    },
    table: {
      ...items,
      async sleep(milliseconds: number) {
        slept.push(milliseconds)
        second += 1
        happens(second)
      },
    },
    readCheckpoints: (open: readonly LogShard[]) => readCheckpoints(items, open),
    readLog: async () => void calls.push('read'),
    fold: async () => void calls.push('fold'),
    guarded: <T>(work: Promise<T>) => work,
    now: () => second * 1_000,
    noteGap: (shardId: string, { gap }: { gap: boolean }) => gap && gaps.push(shardId),
  } as unknown as Inspection
  return { inspection, items, meter, calls, slept, gaps, seconds: () => second }
}
const shardOf = (shardId: string, steps: number, held?: Entry, parentShardId?: string): LogShard => {
  const shard = new LogShard({ shardId, parentShardId, start: undefined }, { late: false, at: 0 }, checkpointOf(held))
  for (let i = 0; i < steps; i++) shard.steps.push(step(10 + i))
  return shard
}

test('waits for what was there when it began, and not for what comes later', async () => {
  const [first, second] = [shardOf('a', 3), shardOf('b', 1)]
  const told: number[] = []
  const setting = inspecting([first, second, shardOf('c', 0)], (now) => {
    told.push(setting.meter.counted())
    const next = now === 1 ? second : first
    next.steps.shift()
    first.steps.push(step(100 + now))
  })
  await untilCounted(setting.inspection, undefined)
  expect(setting.seconds()).toBe(4)
  expect(setting.meter).toMatchObject({ phase: 'count', total: 4 })
  expect(told).toEqual([0, 1, 2, 3])
  expect(setting.meter.counted()).toBe(4)
  expect(setting.slept).toEqual([200, 200, 200, 200])
  expect(setting.calls).toEqual(['read', 'fold', 'fold', 'fold', 'fold', 'fold'])
})

test('gives up when nothing is counted for a minute, and says what to run', async () => {
  const shard = shardOf('a', 3)
  const setting = inspecting([shard], (now) => {
    if (now === 30) shard.steps.shift()
  })
  await expect(untilCounted(setting.inspection, undefined)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'no process counts the 2 changes that are left; run the projections (lapidary stream, or the server)',
  })
  expect(setting.seconds()).toBe(91)
})

test('waits until the runner is past where it may lose records, of each shard, and notes what it has lost', async () => {
  const [late, sure] = [shardOf('late', 2), shardOf('sure', 2, { sequenceNumber: { S: '5' } })]
  const setting = inspecting([late, sure], (now) => {
    if (now < 3) return
    const held = { sequenceNumber: { S: '10' }, gap: { BOOL: true }, gaps: { N: '1' } }
    setting.items.put({ ...keyEntry(checkpointKey('late')), ...held })
  })
  await untilPast(setting.inspection, undefined)
  expect([setting.seconds(), setting.slept[0], setting.gaps]).toEqual([3, 200, ['late']])
  const never = inspecting([shardOf('late', 2), shardOf('later', 1)])
  await expect(untilPast(never.inspection, undefined)).rejects.toMatchObject({
    code: 'unavailable',
    message:
      'no process counts the changes of late, later; run the projections (lapidary stream, or the server) and try again',
  })
  expect(never.seconds()).toBe(61)
})

test('does not give up while the runner counts what comes before a shard', async () => {
  const parent = shardOf('parent', 9, { sequenceNumber: { S: '1' } })
  const child = shardOf('child', 2, undefined, 'parent')
  const setting = inspecting([parent, child], (now) => {
    const at = (shardId: string) => ({ ...keyEntry(checkpointKey(shardId)), sequenceNumber: { S: String(now) } })
    if (now % 50 === 0) setting.items.put(at('parent'))
    if (now === 160) setting.items.put(at('child'))
  })
  await untilPast(setting.inspection, undefined)
  expect(setting.seconds()).toBe(160)
})

test('gives up while the runner counts other shards only', async () => {
  const setting = inspecting([shardOf('other', 9, { sequenceNumber: { S: '1' } }), shardOf('stuck', 2)], (now) =>
    setting.items.put({ ...keyEntry(checkpointKey('other')), sequenceNumber: { S: String(now) } }),
  )
  await expect(untilPast(setting.inspection, undefined)).rejects.toThrow('no process counts the changes of stuck; run')
})

test('does not give up while its own poller reads what it has nothing to count of', async () => {
  const [shard, late] = [shardOf('a', 1), shardOf('late', 2)]
  let backlogReads = 0
  const poller = { status: () => ({ lagMs: null, shards: [], others: [], caughtUpAt: undefined, backlogReads }) }
  const setting = inspecting([shard, late], (second) => {
    if (second % 50 === 0) backlogReads += 1
    if (second === 160) setting.items.put({ ...keyEntry(checkpointKey('late')), sequenceNumber: { S: '10' } })
    if (second === 160) setting.items.put({ ...keyEntry(checkpointKey('a')), sequenceNumber: { S: '10' } })
    if (second === 320) for (const each of [shard, late]) each.steps.length = 0
  })
  await untilPast(setting.inspection, poller)
  expect(setting.seconds()).toBe(160)
  await untilCounted(setting.inspection, poller)
  expect(setting.seconds()).toBe(320)
})

test('does not wait for changes that count nowhere, which the runner passes over', async () => {
  const started = Date.now()
  const { derived, write, count } = countedTable({ clock: () => started + 20 * (Date.now() - started) })
  await write('1', 'q')
  await count()
  await write('2', 'none')
  await count()
  expect(await rebuild(derived, { idleMs: 1, poll: false })).toMatchObject({ items: 2, mended: 0, differences: [] })
})
