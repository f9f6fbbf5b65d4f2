import { GetRecordsCommand } from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import { type CountedTable, countedTable } from '../../test/memory-items/counted-table.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { readDerivedRegister } from '../derived/register/derived-register.ts'
import type { Entry } from '../model/entry.ts'
import { type Checkpoint, checkpointKey, readCheckpoint } from '../stream/checkpoint.ts'
import { rebuild } from './mend.ts'
import { createProbes } from './probes.ts'
import { type SkippedBacklog, skipBacklogs } from './skip-backlog.ts'

const NOW = 50_000

/** A table of which so many changes of items wait in each shard, and how far they are counted by a checkpoint of each. */
async function behind(
  held: Readonly<Record<string, Entry | undefined>> = { s: undefined },
  waiting: Readonly<Record<string, number>> = { s: 3 },
): Promise<
  CountedTable & { skip(how?: Partial<SkippedBacklog>): Promise<void>; at(shardId?: string): Promise<Checkpoint> }
> {
  const shards = Object.keys(held)
  // Probes come into the shards one after the other.
  const open = (): readonly string[] =>
    shards.filter((shardId) => table.shards.every(({ parent }) => parent !== shardId))
  const shardOf = (partition: string): string => {
    const own = /^X#(\w+)-/.exec(partition)?.[1]
    const among = open()
    return (
      own ?? (partition.startsWith('~PROBE') ? among[Number(/\d+$/.exec(partition)) % among.length] : 'none') ?? 'none'
    )
  }
  const table = countedTable({ shards, shardOf, clock: () => NOW })
  for (const [shardId, changes] of Object.entries(waiting)) {
    for (let i = 0; i < changes; i++) await table.write(`${shardId}-${i}`, 'q')
  }
  for (const [shardId, entry] of Object.entries(held)) {
    if (entry !== undefined) table.items.put({ ...keyEntry(checkpointKey(shardId)), ...entry })
  }
  const { items, derived } = table
  return {
    ...table,
    async skip(how = {}) {
      await using probes = createProbes(items, items, () => NOW)
      const isCounted = derived.projections[0]?.isItem ?? (() => false)
      await skipBacklogs({
        ...{ table: items, streams: derived.streams, probes, clock: () => NOW },
        ...{ isCounted: ({ key }) => isCounted(key), evenLeased: false, least: 3, copies: [], ...how },
      })
    },
    at: (shardId = 's') => readCheckpoint(items, shardId),
  }
}

const gapsOf = async ({ items }: CountedTable): Promise<readonly string[]> => [
  ...(await readDerivedRegister(items)).gaps,
]

test.each<[string, Entry | undefined, number]>([
  ['that is new', undefined, 1],
  ['of which something is counted', { sequenceNumber: { S: '7' } }, 1],
  ['with gaps', { sequenceNumber: { S: '7' }, gaps: { N: '2' } }, 3],
  ['whose lease is over', { sequenceNumber: { S: '7' }, owner: { S: 'dead' }, leasedUntil: { N: '49999' } }, 1],
])('the checkpoint of a shard %s is moved past all that was written, and a gap is noted', async (_, held, gaps) => {
  const table = await behind({ s: held })
  await table.skip()
  const { sequenceNumber, gap, gaps: noted, finished } = await table.at()
  expect(Number(sequenceNumber)).toBeGreaterThan(1_002)
  expect({ gap, noted, finished }).toEqual({ gap: true, noted: gaps, finished: false })
  expect(await gapsOf(table)).toEqual(['s'])
})

test('copies pass over what is skipped, once a loss is noted and before the checkpoint moves', async () => {
  const table = await behind({ s: undefined })
  const told: unknown[] = []
  const pass = async (shardId: string, to: string): Promise<void> => {
    told.push([shardId, await gapsOf(table), (await table.at()).sequenceNumber])
    expect(Number(to)).toBeGreaterThan(1_002)
  }
  await table.skip({ copies: [{ pass }, {}] })
  expect(told).toEqual([['s', ['s'], undefined]])
  expect((await table.at()).sequenceNumber).toBeDefined()
})

test('nothing is skipped of a short backlog, of what is counted, or while another process counts', async () => {
  const leased = { owner: { S: 'other' }, leasedUntil: { N: String(NOW) } }
  const counted = { sequenceNumber: { S: '1001' } }
  for (const table of [
    await behind({ s: undefined }, { s: 2 }),
    await behind({ s: counted }),
    await behind({ s: leased }),
  ]) {
    const before = table.items.entries
    await table.skip()
    expect(table.items.entries).toEqual(before)
  }
  const [finished] = [await behind({ s: { finished: { BOOL: true } } })]
  const before = finished.items.entries
  await finished.skip({ least: 0 })
  expect(finished.items.entries).toEqual(before)
})

test('what another process counts is skipped too where that is asked for, and stays its own', async () => {
  const table = await behind({ s: { owner: { S: 'other' }, leasedUntil: { N: String(NOW) } } })
  await table.skip({ evenLeased: true })
  expect(await table.at()).toMatchObject({ gap: true, owner: 'other', leasedUntil: NOW })
})

test('a checkpoint that is moved meanwhile is moved on from there, or stays where it is beyond', async () => {
  for (const [to, isMoved] of [
    ['1001', true],
    ['9999', false],
  ] as const) {
    const table = await behind()
    const { streams } = table.derived
    let reads = 0
    const moving = {
      ...streams,
      async send(command: never) {
        // Once the backlog is found to be long.
        if ((command as object) instanceof GetRecordsCommand && ++reads === 2)
          table.items.put({ ...keyEntry(checkpointKey('s')), sequenceNumber: { S: to } })
        return streams.send(command)
      },
    } as unknown as typeof streams
    await table.skip({ streams: moving })
    const { sequenceNumber, gap } = await table.at()
    expect(gap).toBe(isMoved)
    expect(sequenceNumber === to).toBe(!isMoved)
  }
})

test('a shard that others follow is ended before they are moved', async () => {
  const table = await behind(
    { before: { sequenceNumber: { S: '7' } }, s: undefined, t: undefined },
    { before: 3, s: 1 },
  )
  for (const shard of table.shards.slice(1)) Object.assign(shard, { parent: 'before' })
  await table.skip()
  expect(await table.at('before')).toMatchObject({ finished: true, gap: true, gaps: 1 })
  expect(await table.at('s')).toMatchObject({ finished: false, gap: true, gaps: 1 })
  expect(await table.at('t')).toMatchObject({ finished: false, gap: true, gaps: 1 })
})

test('what follows a shard that can not be ended is left to be counted, as is one in which no probe is seen', async () => {
  const table = await behind({ before: undefined, s: undefined }, { before: 3, s: 1 })
  Object.assign(table.shards[1] as object, { parent: 'before' })
  const { send } = table.items
  const refusing = {
    ...table.items,
    send: (command: { readonly input: { readonly Key?: Entry; readonly UpdateExpression?: string } }) => {
      const { Key, UpdateExpression = '' } = command.input
      if (Key?.PK?.S === '~STREAM#before' && UpdateExpression.includes('finished'))
        return Promise.reject(Object.assign(new Error('moved'), { name: 'ConditionalCheckFailedException' }))
      return send(command as never)
    },
  } as typeof table.items
  await table.skip({ table: refusing })
  expect(await table.at('s')).toMatchObject({ sequenceNumber: undefined, gap: false })
  const unseen = await behind()
  await unseen.skip({
    table: { ...unseen.items, sleep: async () => undefined },
    probes: { write: async () => undefined, seen: () => undefined } as never,
  })
  expect(await unseen.at()).toMatchObject({ sequenceNumber: undefined, gap: false })
})

test('a shard whose iterator expires before a probe is seen is left to be counted', async () => {
  const table = await behind()
  const { streams } = table.derived
  let reads = 0
  const expiring = {
    ...streams,
    async send(command: never) {
      if ((command as object) instanceof GetRecordsCommand && ++reads > 1)
        throw Object.assign(new Error('expired'), { name: 'ExpiredIteratorException' })
      return streams.send(command)
    },
  } as unknown as typeof streams
  await table.skip({ streams: expiring })
  expect(await table.at()).toMatchObject({ sequenceNumber: undefined, gap: false })
})

test('a rebuild that may skip counts a long backlog at once, and leaves no gap', async () => {
  const { items, derived, write, counts } = countedTable()
  for (const value of ['q', 'r']) for (let i = 0; i < 1_200; i++) await write(`${i}`, value)
  const written = items.sent.length
  const plan = { skips: { evenLeased: false } }
  expect(await rebuild(derived, { idleMs: 1, poll: false }, plan)).toMatchObject({ gaps: [], gapsCleared: 1 })
  expect(counts()).toEqual({ count_r: 1_200 })
  expect(await readCheckpoint(items, 's')).toMatchObject({ gap: false, gaps: 1 })
  expect(items.sent.slice(written).filter(({ name }) => name === 'TransactWriteItems').length).toBeLessThan(20)
})
