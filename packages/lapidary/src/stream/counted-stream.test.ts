import { expect, test } from 'vitest'
import { countedTable } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { stubStreams } from '../../test/stream/stub-streams.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import type { DerivedData } from '../recount/maintenance-options.ts'
import { repair } from '../recount/mend.ts'
import { noteGap, readCheckpoint } from './checkpoint.ts'
import { noteStream, retireEarlierStreams } from './counted-stream.ts'
import { createStreamHandler } from './lambda.ts'
import { startPoller } from './poller.ts'
import { createRunner } from './runner.ts'
import type { Shard } from './shards.ts'

const arnOf = (began: string, table = 'things') => `arn:aws:dynamodb:eu-west-1:1:table/${table}/stream/${began}`
const [OLD, NEW] = [arnOf('2026-01-01T00:00:00.000'), arnOf('2026-01-02T00:00:00.000')]
const shard = (shardId: string, parentShardId?: string): Shard => ({ shardId, parentShardId, start: undefined })

const gapsOf = async (table: ReturnType<typeof memoryItems>, shards: readonly Shard[]): Promise<readonly string[]> => {
  const held = await Promise.all(shards.map(({ shardId }) => readCheckpoint(table, shardId)))
  return shards.flatMap(({ shardId }, i) => (held[i]?.gap ? [shardId] : []))
}

test('the first stream of a table, and the same again, are no loss', async () => {
  const table = memoryItems()
  for (const shards of [[shard('a')], [shard('a'), shard('b', 'a')]]) {
    expect(await noteStream(table, OLD, shards)).toBe('counted')
    expect(await gapsOf(table, shards)).toEqual([])
  }
})

test('another stream of the table, or that of a table which was restored, has a gap before its first shards, once', async () => {
  for (const next of [NEW, arnOf('2026-01-01T00:00:00.000', 'restored')]) {
    const table = memoryItems()
    await noteStream(table, OLD, [shard('s')])
    expect(await noteStream(table, next, [])).toBe('counted')
    const shards = [shard('a'), shard('b', 'forgotten'), shard('c', 'a')]
    expect(await noteStream(table, next, shards)).toBe('another')
    expect(await gapsOf(table, shards)).toEqual(['a', 'b'])
    expect(await noteStream(table, next, shards)).toBe('counted')
    expect((await readCheckpoint(table, 'a')).gaps).toBe(1)
  }
})

test('what is still delivered of a stream that was switched off is of an earlier one', async () => {
  const table = memoryItems()
  await noteStream(table, NEW, [shard('a')])
  expect(await noteStream(table, OLD, [shard('old')])).toBe('earlier')
  expect(await noteStream(table, NEW, [shard('a')])).toBe('counted')
  expect(await gapsOf(table, [shard('a'), shard('old')])).toEqual([])
})

test('each follower of the stream has a mark of its own', async () => {
  const table = memoryItems()
  const cache = { ...table, follower: 'cache' }
  await noteStream(table, OLD, [shard('s')])
  expect(await noteStream(cache, NEW, [shard('a')])).toBe('counted')
  expect(await noteStream(table, NEW, [shard('a')])).toBe('another')
  expect((await readCheckpoint(cache, 'a')).gap).toBe(false)
})

/** A table with items that only a stream has told which was switched off since, and a handler of what Lambda still delivers of it. */
async function switchedOff() {
  const table = countedTable({ description: { LatestStreamArn: NEW }, shardOf: () => 'new', shards: ['new'] })
  const { items, derived, write, shards } = table
  const [now] = shards
  await noteStream(items, OLD, [shard('old')])
  await write('1', 'q')
  await write('2', 'q')
  const records = now?.records.splice(0) ?? []
  const before = stubStreams([{ shardId: 'old', records: [] }])
  const streams = {
    send: (command: { readonly input: { readonly StreamArn?: string } }) =>
      (command.input.StreamArn === OLD ? before : derived.streams).send(command as never),
  } as unknown as typeof derived.streams
  const runner = createRunner({ table: items, projections: derived.projections })
  const handler = createStreamHandler({ runner, streams })
  const Records = records.map(({ dynamodb }) => ({ dynamodb: { ...dynamodb, ApproximateCreationDateTime: 1 } }))
  const deliver = (by = handler) => by({ Records: Records as never, shardId: 'old', eventSourceARN: OLD })
  return { ...table, derived: { ...derived, streams }, runner, deliver }
}

test('what Lambda delivers of a stream that was switched off is counted once, before a repair and behind it', async () => {
  const { items, derived, counts, deliver, runner } = await switchedOff()
  // It has begun with the shard, and does not look whose it is any more.
  const begun = createStreamHandler({ runner })
  expect(await repair(derived, { idleMs: 1, poll: false })).toMatchObject({ mended: 1, gapsCleared: 1 })
  for (const handler of [begun, undefined]) {
    expect(await deliver(handler)).toMatchObject({ batchItemFailures: [] })
    expect(counts()).toEqual({ count_q: 2 })
  }
  expect((await readCheckpoint(items, 'old')).finished).toBe(true)
})

test('nothing of an earlier stream is counted any more, also of a shard that is not listed yet', async () => {
  const { items, counts, deliver } = await switchedOff()
  await noteStream(items, NEW, [shard('new')])
  expect(await deliver()).toMatchObject({ batchItemFailures: [] })
  expect(counts()).toEqual({})
})

test('a stream that is forgotten has nothing to retire, and what else it says is told', async () => {
  const description = { LatestStreamArn: NEW }
  const { items: table, derived } = countedTable({ description, shards: ['new'] })
  await noteStream(table, OLD, [shard('old')])
  const failing = (name: string) => ({
    ...{ table, clock: Date.now },
    streams: {
      send: (command: { readonly input: { readonly StreamArn?: string } }) =>
        command.input.StreamArn === description.LatestStreamArn
          ? derived.streams.send(command as never)
          : Promise.reject(Object.assign(new Error('away'), { name })),
    } as unknown as typeof derived.streams,
  })
  await expect(retireEarlierStreams(failing('ThrottlingException'))).rejects.toThrow('away')
  await retireEarlierStreams(failing('ResourceNotFoundException'))
  // It is not asked for again.
  await retireEarlierStreams(failing('ThrottlingException'))
  description.LatestStreamArn = `${NEW}2`
  await retireEarlierStreams(failing('AccessDeniedException'))
  await retireEarlierStreams(failing('ThrottlingException'))
})

/** A stream that gives the same shards by any name, as the embedded engine's does. */
const stubbed = ({ streams }: Pick<DerivedData, 'streams'>): DerivedData['streams'] =>
  ({
    send(command: { readonly input: { StreamArn?: string } }) {
      if (command.input.StreamArn !== undefined) command.input.StreamArn = NEW
      return streams.send(command as never)
    },
  }) as unknown as DerivedData['streams']

test('a shard that an engine keeps when its stream is switched off and on is counted on', async () => {
  const { items, derived, write, counts, runner } = await switchedOff()
  await noteStream(items, OLD, [shard('new')])
  await repair({ ...derived, streams: stubbed(derived) }, { idleMs: 1, poll: false })
  expect((await readCheckpoint(items, 'new')).finished).toBe(false)
  await write('3', 'q')
  const poller = startPoller({ streams: stubbed(derived), runner, idleMs: 1, gatherMs: 1 })
  await expect.poll(() => counts()).toEqual({ count_q: 3 })
  await poller.close()
})

test('a poller leaves a stream that was switched off for the next one', async () => {
  const description = { LatestStreamArn: OLD }
  const table = countedTable({
    description,
    shards: ['old', 'new'],
    shardOf: () => (description.LatestStreamArn === OLD ? 'old' : 'new'),
  })
  const { items, derived, write, shards } = table
  const told: string[] = []
  const cache: CopyProjection = {
    ...{ name: 'cache', collection: 'X', isItem: ({ PK }) => PK.startsWith('X#') },
    apply: async (changes) => void told.push(...changes.map(({ after }) => after?.v?.S ?? '')),
  }
  const streams = {
    async send(command: { readonly input: { readonly StreamArn?: string } }) {
      const answer = await derived.streams.send(command as never)
      const { StreamDescription } = answer as { StreamDescription?: { Shards: { ShardId: string }[] } }
      if (StreamDescription === undefined) return answer
      const of = command.input.StreamArn === OLD ? 'old' : 'new'
      return { StreamDescription: { Shards: StreamDescription.Shards.filter(({ ShardId }) => ShardId === of) } }
    },
  } as unknown as typeof derived.streams
  const runner = createRunner({ table: items, projections: [...derived.projections, cache] })
  await using _poller = startPoller({ streams, runner, idleMs: 1, gatherMs: 1, discoverMs: 10 })
  await write('1', 'first')
  await expect.poll(() => told).toEqual(['first'])
  description.LatestStreamArn = NEW
  await write('1', 'second')
  await expect.poll(() => told).toEqual(['first', 'second'])
  const [old] = shards
  old?.records.push({ ...old.records[0], dynamodb: { ...old.records[0]?.dynamodb, SequenceNumber: '9999' } })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(told).toEqual(['first', 'second'])
})

test('a poller notes a gap before it counts another stream, and a repair makes up for it', async () => {
  const { items, derived, write, counts } = countedTable()
  await noteStream(items, OLD, [shard('before')])
  await write('1', 'q')
  const { table, streams, projections } = derived
  const runner = createRunner({ table, projections })
  const poller = startPoller({ streams, runner, idleMs: 1, gatherMs: 1 })
  await expect.poll(() => counts()).toEqual({ count_q: 1 })
  await poller.close()
  expect(await readCheckpoint(items, 's')).toMatchObject({ gap: true, gaps: 1 })
  expect(await repair(derived, { idleMs: 1, poll: false })).toMatchObject({ gapsCleared: 1, gaps: [] })
  expect((await readCheckpoint(items, 's')).gap).toBe(false)
})

test('a repair that is the first to see another stream leaves no gap behind', async () => {
  const { items, derived, write, count } = countedTable()
  await write('1', 'q')
  await count()
  await noteStream(items, OLD, [shard('before')])
  expect(await repair(derived, { idleMs: 1, poll: false })).toMatchObject({ gapsCleared: 1, gaps: [] })
  await noteGap(items, 's', undefined)
  expect(await noteStream(items, 'arn', [shard('s')])).toBe('counted')
})
