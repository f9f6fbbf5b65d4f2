import { expect, test } from 'vitest'
import { countedTable } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { repair } from '../recount/mend.ts'
import { noteGap, readCheckpoint } from './checkpoint.ts'
import { noteStream } from './counted-stream.ts'
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
    expect(await noteStream(table, OLD, shards)).toBe(false)
    expect(await gapsOf(table, shards)).toEqual([])
  }
})

test('another stream of the table, or that of a table which was restored, has a gap before its first shards, once', async () => {
  for (const next of [NEW, arnOf('2026-01-01T00:00:00.000', 'restored')]) {
    const table = memoryItems()
    await noteStream(table, OLD, [shard('s')])
    expect(await noteStream(table, next, [])).toBe(false)
    const shards = [shard('a'), shard('b', 'forgotten'), shard('c', 'a')]
    expect(await noteStream(table, next, shards)).toBe(true)
    expect(await gapsOf(table, shards)).toEqual(['a', 'b'])
    expect(await noteStream(table, next, shards)).toBe(false)
    expect((await readCheckpoint(table, 'a')).gaps).toBe(1)
  }
})

test('what is still delivered of a stream that was switched off is no other stream', async () => {
  const table = memoryItems()
  await noteStream(table, NEW, [shard('a')])
  expect(await noteStream(table, OLD, [shard('old')])).toBe(false)
  expect(await noteStream(table, NEW, [shard('a')])).toBe(false)
  expect(await gapsOf(table, [shard('a'), shard('old')])).toEqual([])
})

test('each follower of the stream has a mark of its own', async () => {
  const table = memoryItems()
  const cache = { ...table, follower: 'cache' }
  await noteStream(table, OLD, [shard('s')])
  expect(await noteStream(cache, NEW, [shard('a')])).toBe(false)
  expect(await noteStream(table, NEW, [shard('a')])).toBe(true)
  expect((await readCheckpoint(cache, 'a')).gap).toBe(false)
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
  expect(await noteStream(items, 'arn', [shard('s')])).toBe(false)
})
