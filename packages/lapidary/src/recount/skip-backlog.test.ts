import { expect, test } from 'vitest'
import { countedTable } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { checkpointKey, checkpointOf, readCheckpoint } from '../stream/checkpoint.ts'
import { LogShard } from './log-shard.ts'
import { rebuild, repair } from './mend.ts'
import { skipBacklog } from './skip-backlog.ts'
import type { Step } from './truth.ts'

const NOW = 50_000

/** A table with the checkpoint of a shard, and the log of it, read so far with so many steps. */
function behind(held: Entry | undefined, steps = 1_000, position: string | undefined = '9000') {
  const items = memoryItems()
  const key = checkpointKey('s')
  if (held !== undefined) items.put({ ...keyEntry(key), ...held })
  const shard = new LogShard(
    { shardId: 's', parentShardId: undefined, start: undefined },
    { late: false, at: 0 },
    checkpointOf(held),
  )
  shard.position = position
  for (let i = 0; i < steps; i++)
    shard.steps.push({ sequenceNumber: String(8 + i), at: 0, before: 0, after: 2 } as Step)
  const now = (): Entry | undefined => {
    const { PK, SK, ...rest } = items.get(key) ?? {}
    return rest
  }
  return { items, shard, now }
}

test.each<[string, Entry | undefined, number]>([
  ['that is new', undefined, 1],
  ['of which something is counted', { sequenceNumber: { S: '7' } }, 1],
  ['with gaps', { sequenceNumber: { S: '7' }, gaps: { N: '2' } }, 3],
  ['whose lease is over', { sequenceNumber: { S: '7' }, owner: { S: 'dead' }, leasedUntil: { N: '49999' } }, 1],
])('the checkpoint of a shard %s is moved over the backlog, and a gap is noted', async (_, held, gaps) => {
  const { items, shard, now } = behind(held)
  expect(await skipBacklog(items, shard, NOW)).toBe(gaps)
  expect(now()).toEqual({ ...held, sequenceNumber: { S: '9000' }, gap: { BOOL: true }, gaps: { N: String(gaps) } })
})

test('nothing is skipped of a short backlog, of a shard of which nothing is read, of what is counted, or where another process counts', async () => {
  const leased = { owner: { S: 'other' }, leasedUntil: { N: String(NOW) } }
  for (const { items, shard } of [behind(undefined, 999), behind(leased)]) {
    const before = items.entries
    expect(await skipBacklog(items, shard, NOW)).toBeUndefined()
    expect(items.entries).toEqual(before)
  }
  for (const held of [
    { sequenceNumber: { S: '8' } },
    { sequenceNumber: { S: '9500' } },
    { finished: { BOOL: true } },
  ]) {
    const counted = behind(held)
    expect(await skipBacklog(counted.items, counted.shard, NOW)).toBeUndefined()
    expect(counted.now()).toEqual(held)
  }
  const unread = behind(undefined)
  unread.shard.position = undefined
  expect(await skipBacklog(unread.items, unread.shard, NOW)).toBeUndefined()
  expect(unread.items.sent).toEqual([])
})

test.each<[string, Entry | undefined]>([
  ['that was there', { sequenceNumber: { S: '7' } }],
  ['that was not', undefined],
])('a checkpoint %s and is moved meanwhile stays where it was moved to', async (_, held) => {
  const { items, shard, now } = behind(held)
  const moving = {
    ...items,
    async send(command: never): Promise<never> {
      const output = await items.send(command)
      if ((command as object).constructor.name === 'GetItemCommand')
        items.put({ ...keyEntry(checkpointKey('s')), sequenceNumber: { S: '8' } })
      return output as never
    },
  } as typeof items
  expect(await skipBacklog(moving, shard, NOW)).toBeUndefined()
  expect(now()).toEqual({ sequenceNumber: { S: '8' } })
})

test('a rebuild counts a long backlog at once, and leaves no gap; a repair leaves it to the runner', async () => {
  for (const [mend, isSkipped] of [
    [rebuild, true],
    [repair, false],
  ] as const) {
    const { items, derived, write, counts, count } = countedTable()
    for (let i = 0; i < 1_200; i++) await write(`${i}`, 'q')
    const written = items.sent.length
    // What may drop out of the stream has to be begun.
    if (!isSkipped) await count()
    for (let i = 0; i < 1_200; i++) await write(`${i}`, 'r')
    expect(await mend(derived, { idleMs: 1, poll: false })).toMatchObject({ gaps: [], gapsCleared: isSkipped ? 1 : 0 })
    expect(counts()).toEqual(isSkipped ? { count_r: 1_200 } : { count_q: 1_000 })
    expect(await readCheckpoint(items, 's')).toMatchObject({ gap: false, gaps: isSkipped ? 1 : 0 })
    expect(items.sent.slice(written).filter(({ name }) => name === 'TransactWriteItems').length).toBeLessThan(20)
  }
})
