import { expect, test } from 'vitest'
import { countedTable, values } from '../../test/memory-items/counted-table.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { checkpointKey, readCheckpoints } from '../stream/checkpoint.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { type ChangeLog, followChanges } from './change-log.ts'
import { repair } from './mend.ts'
import { createProbes } from './probes.ts'
import { Tally } from './tally.ts'
import { Truth } from './truth.ts'
import { verify } from './verify.ts'

/** Follows the stream of a table; a minute passes in three seconds. Each command to the stream may fail. */
async function following(fails: (command: string) => boolean = () => false) {
  const world = countedTable()
  const { table, streams } = world.derived
  const asked: string[] = []
  const truth = new Truth(new Tally([values]))
  const began = Date.now()
  const failing = {
    async send(command: never) {
      const name = (command as object).constructor.name
      asked.push(name)
      if (fails(name)) throw new Error('away')
      return (streams as StreamsClient).send(command)
    },
  } as unknown as StreamsClient
  const open = (): Promise<ChangeLog> =>
    followChanges({
      ...{ table, streams: failing, arn: 'arn', truth, idleMs: 1 },
      probes: createProbes(table, table, Date.now),
      ...{ clock: Date.now, now: () => began + 20 * (Date.now() - began), listedMs: 50_000 },
    })
  return { ...world, open, truth, asked }
}

test('a stream that fails for a moment is asked again', async () => {
  let left = 2
  const { open, write, truth } = await following((name) => name === 'GetRecordsCommand' && left-- > 0)
  await write('1', 'q')
  await using log = await open()
  await log.readAll()
  expect([log.pending, log.knows('s'), log.knows('t')]).toEqual([1, true, false])
  expect(left).toBeLessThan(0)
  expect(log.records).toBeGreaterThan(16)
  expect(truth.tally.targets.map(({ key }) => key.PK)).toEqual(['~values#X#a'])
})

test('once it is disposed of it asks no more, and says so to who waits', async () => {
  const { open } = await following((name) => name === 'GetRecordsCommand')
  const log = await open()
  const reading = log.readAll().catch((error: unknown) => error)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await log[Symbol.asyncDispose]()
  const error = (await reading) as Error
  expect(error.message).toMatch(/^(the change stream is not followed any more|away|This operation was aborted)$/)
})

test('a stream that tells nothing of what was written is given up, with what to look at', async () => {
  const { open, shards } = await following()
  await using log = await open()
  Object.defineProperty(shards[0], 'records', { get: () => [] })
  await expect(log.readAll()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the change stream arn tells nothing of what was written a minute ago; is it enabled? Run it again',
  })
})

test('what is pending is as old as its first change, and is taken at the checkpoints', async () => {
  const { open, write, items, count, truth } = await following()
  await write('1', 'q')
  await using log = await open()
  expect(log.pendingSince).toBeUndefined()
  await write('2', 'q')
  await write('3', 'r')
  await log.readAll()
  expect([log.pending, log.pendingSince]).toEqual([3, 1_700_000_000_000])
  await count()
  expect(log.open().map(({ shardId }) => shardId)).toEqual(['s'])
  expect(await log.takeTo(await readCheckpoints(items, [{ shardId: 's' }]))).toBe(true)
  expect([log.pending, log.pendingSince, log.over()]).toEqual([0, undefined, []])
  const [target] = truth.tally.targets
  expect(target && truth.tally.amountsOf(target)).toEqual({ count_q: 2, count_r: 1 })
})

test('a stream that never answers holds up nothing once it is given up', async () => {
  const { derived } = countedTable()
  const streams = {
    send: (command: never) =>
      (command as object).constructor.name === 'GetRecordsCommand'
        ? new Promise(() => undefined)
        : (derived.streams as StreamsClient).send(command),
  } as unknown as StreamsClient
  const began = Date.now()
  const now = (): number => began + 60 * (Date.now() - began)
  await expect(verify({ ...derived, streams, now }, { idleMs: 1 })).rejects.toThrow('tells nothing of what was written')
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  await expect(verify({ ...derived, streams }, { idleMs: 1, signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
  })
})

test('a work that was stopped before it began reads nothing, and nothing of it goes on', async () => {
  const { derived } = countedTable()
  let asked = 0
  const streams = {
    send(command: never) {
      asked += 1
      return (derived.streams as StreamsClient).send(command)
    },
  } as unknown as StreamsClient
  for (const act of [verify, repair]) {
    const stopped = act({ ...derived, streams }, { idleMs: 1, signal: AbortSignal.abort() })
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  }
  const before = asked
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked).toBe(before)
})

test('a work whose stream is not even listed ends when it is stopped', async () => {
  const { derived } = countedTable()
  const streams = { send: () => new Promise(() => undefined) } as unknown as StreamsClient
  for (const act of [verify, repair]) {
    const signal = AbortSignal.timeout(30)
    await expect(act({ ...derived, streams }, { idleMs: 1, signal })).rejects.toMatchObject({ code: 'aborted' })
  }
})

test('a shard that is listed before the one that it follows is read after it all the same', async () => {
  const world = countedTable({ shards: ['child', 'parent'], shardOf: () => 'parent' })
  const { derived, items, write, shards } = world
  const [child, parent] = shards
  Object.assign(child ?? {}, { parent: 'parent' })
  const told: string[] = []
  const truth = new Truth(new Tally([values]))
  const streams = {
    async send(command: never) {
      const output = await (derived.streams as StreamsClient).send(command)
      const { StreamDescription } = output as { StreamDescription?: { Shards: { ShardId: string }[] } }
      // The parent is listed once the child was looked at.
      if (StreamDescription === undefined || asked++ > 0) return output
      return { StreamDescription: { Shards: StreamDescription.Shards.filter(({ ShardId }) => ShardId === 'child') } }
    },
  } as unknown as StreamsClient
  let asked = 0
  await using log = await followChanges({
    ...{ table: items, streams, arn: 'arn', truth, idleMs: 1, probes: createProbes(items, items, Date.now) },
    ...{ clock: Date.now, now: Date.now, listedMs: 0, logged: (_, shardId) => void told.push(shardId) },
  })
  await write('1', 'q')
  Object.assign(parent ?? {}, { closed: true })
  child?.records.push(...(parent?.records.map((record) => ({ ...record })) ?? []))
  await expect.poll(() => log.knows('parent'), { timeout: 10_000 }).toBe(false)
  const reading = log.readAll().catch(() => undefined)
  await expect.poll(() => log.knows('parent'), { timeout: 10_000 }).toBe(true)
  expect(log.open().map((shard) => [shard.shardId, log.lineage.parentOf(shard)?.shardId])).toEqual([
    ['child', 'parent'],
    ['parent', undefined],
  ])
  await log[Symbol.asyncDispose]()
  await reading
})

test('shards are listed in any order: what follows one that is not finished is read from its beginning', async () => {
  const { derived, items, shards } = countedTable({ shards: ['child', 'parent', 'alone'] })
  Object.assign(shards[0] ?? {}, { parent: 'parent' })
  for (const shardId of ['child', 'alone']) {
    items.put({ ...keyEntry(checkpointKey(shardId)), sequenceNumber: { S: '1500' } })
  }
  await using log = await followChanges({
    ...{ table: items, streams: derived.streams, arn: 'arn', truth: new Truth(new Tally([values])), idleMs: 1 },
    ...{ probes: createProbes(items, items, Date.now), clock: Date.now, now: Date.now, listedMs: 0 },
  })
  const from = new Map(log.open().map((shard) => [shard.shardId, shard.from]))
  expect([from.get('child'), from.get('alone'), from.has('parent')]).toEqual([undefined, '1500', true])
})
