import { PutItemCommand, ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import {
  type CountedTable,
  countedTable,
  countsKey,
  itemKey,
  MADE_AT,
  values,
} from '../../test/memory-items/counted-table.ts'
import type { Difference } from '../derived/copy-inspection.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { SumProjection } from '../derived/sum-projection.ts'
import { checkpointKey, readCheckpoint } from '../stream/checkpoint.ts'
import { deadLetterWrite, listDeadLetters } from '../stream/dead-letters.ts'
import type { MaintenanceProgress } from './maintenance-options.ts'
import { type MendOptions, rebuild, repair } from './mend.ts'
import { verify } from './verify.ts'

/** A minute passes in three seconds: what waits for nothing gives up. */
const started = Date.now()
const clock = (): number => started + 20 * (Date.now() - started)
const quick: MendOptions = { idleMs: 1, poll: false }

async function filled(given: Parameters<typeof countedTable>[0] = {}): Promise<CountedTable> {
  const table = countedTable({ clock, ...given })
  await table.write('1', 'q')
  await table.write('2', 'q')
  await table.write('3', 'r')
  await table.write('4', 'q', 'b')
  await table.count()
  return table
}

test('verify finds nothing where counts are right, and leaves nothing behind', async () => {
  const { items, derived } = await filled()
  const before = items.entries
  expect(await verify(derived, quick)).toEqual({
    ...{ differences: [], differenceCount: 0, items: 4, targets: 2, compared: 0 },
    ...{ uncountable: 0, uncountableItems: [], pending: 0, deadLetters: 0, gaps: [], notVerified: [] },
    capacity: expect.any(Number),
  })
  expect(items.entries).toEqual(before)
})

test('verify tells every difference, once it was read beside the checkpoints, and mends nothing', async () => {
  const { items, derived, spoil } = await filled()
  await derived.table.send(
    new PutItemCommand({ TableName: 'things', Item: { ...keyEntry(itemKey('5')), scope: { S: 'c' }, v: { S: 'z' } } }),
  )
  spoil('a', { count_q: 5 })
  spoil('b', undefined)
  spoil('gone', { count_q: 1 })
  const before = items.entries
  const told: Difference[] = []
  const found = await verify(derived, { ...quick, onDifference: (difference) => told.push(difference) })
  const common = { projection: 'values', collection: 'X' }
  expect(found).toMatchObject({ differenceCount: 3, items: 5, targets: 3, compared: 3, pending: 1 })
  expect(found.differences).toEqual(told)
  const sorted = told.toSorted((a, b) => (a.target.PK < b.target.PK ? -1 : 1))
  expect(sorted).toEqual([
    { ...common, kind: 'wrong', target: countsKey('a'), name: 'count_q', expected: '2', actual: '5' },
    { ...common, kind: 'missing', target: countsKey('b'), name: 'count_q', expected: '1', actual: null },
    { ...common, kind: 'dangling', target: countsKey('gone'), name: 'count_q', expected: null, actual: '1' },
  ])
  expect(items.entries).toEqual(before)
})

test('changes that are not counted yet are no differences, and are told as pending', async () => {
  const { derived, write } = await filled()
  await write('1', 'r')
  await write('2', undefined)
  await write('9', 'q', 'new')
  expect(await verify(derived, quick)).toMatchObject({ differenceCount: 0, items: 4, pending: 3 })
})

test('what can not be counted is told, with the keys of some', async () => {
  const { derived, write, count } = await filled()
  await write('5', 'bad')
  await write('6', 'bad')
  await count()
  expect(await verify(derived, quick)).toMatchObject({
    ...{ differenceCount: 0, uncountable: 2 },
    uncountableItems: expect.arrayContaining([
      { key: itemKey('5'), reason: 'v is bad' },
      { key: itemKey('6'), reason: 'v is bad' },
    ]),
  })
})

test('all differences are told, and the first thousand kept', async () => {
  const { derived, spoil } = countedTable({ clock })
  for (let i = 0; i < 1_003; i++) spoil(`gone ${i}`, { count_q: 1 })
  let told = 0
  const found = await verify(derived, { ...quick, onDifference: () => void told++ })
  expect([found.differences.length, found.differenceCount, told, found.compared]).toEqual([1_000, 1_003, 1_003, 1_003])
})

test('repair mends what is wrong and nothing else, and a second one finds nothing', async () => {
  const { items, derived, spoil, counts } = await filled()
  const right = items.get(countsKey('a'))
  spoil('b', { count_q: 7, count_odd: 1 })
  spoil('gone', { count_q: 1 })
  expect(await repair(derived, quick)).toMatchObject({
    ...{ differenceCount: 3, mended: 2, compared: 2, targets: 3 },
    ...{ deadLettersForgotten: 0, gapsCleared: 0 },
  })
  expect([counts('a'), counts('b'), items.get(countsKey('gone'))]).toEqual([
    { count_q: 2, count_r: 1 },
    { count_q: 1 },
    undefined,
  ])
  expect(items.get(countsKey('a'))).toEqual(right)
  expect(await repair(derived, quick)).toMatchObject({ differenceCount: 0, mended: 0 })
  expect(items.get({ PK: '~MAINTENANCE', SK: '~' })?.owner).toBeUndefined()
})

test('repair leaves what is not counted to the runner, which counts it once', async () => {
  const { derived, spoil, counts, write, count } = await filled()
  await write('1', 'r')
  spoil('a', { count_q: 9 })
  expect(await repair(derived, quick)).toMatchObject({ mended: 1, pending: 1 })
  expect(counts()).toEqual({ count_q: 2, count_r: 1 })
  await count()
  expect(counts()).toEqual({ count_q: 1, count_r: 2 })
})

test('what is counted while it is looked at is mended exactly', async () => {
  let isCounted = true
  const { items, derived, spoil, counts, write, count } = await filled({
    async before(command) {
      if (command.constructor.name !== 'TransactGetItemsCommand' || isCounted) return
      isCounted = true
      await count()
    },
  })
  await write('1', 'r')
  spoil('a', { count_q: 9 })
  isCounted = false
  await repair(derived, quick)
  expect(isCounted).toBe(true)
  expect(counts()).toEqual({ count_q: 1, count_r: 2 })
  expect(items.get(countsKey('a'))?.asOf).toEqual({ S: new Date(MADE_AT).toISOString() })
})

test('repair makes good what dead letters tell of and what gaps lack, and clears both', async () => {
  const { items, derived, write, count } = await filled()
  await write('1', 'bad')
  await count()
  await write('1', 'z')
  await count()
  items.put({
    ...items.get(checkpointKey('s')),
    ...keyEntry(checkpointKey('s')),
    gap: { BOOL: true },
    gaps: { N: '2' },
  })
  expect(await verify(derived, quick)).toMatchObject({ deadLetters: 2, gaps: ['s'] })
  expect(await repair(derived, quick)).toMatchObject({
    deadLettersForgotten: 2,
    gapsCleared: 1,
    deadLetters: 0,
    gaps: [],
  })
  expect(await readCheckpoint(items, 's')).toMatchObject({ gap: false, gaps: 2 })
})

test('what a closed shard lost is made up for, and no process has to find it any more', async () => {
  let isSplit = false
  const { items, derived, shards } = await filled({ shards: ['s', 't'], shardOf: () => (isSplit ? 't' : 's') })
  const [first, second] = shards
  if (first === undefined || second === undefined) return expect.fail()
  first.closed = true
  Object.assign(second, { parent: 's' })
  const moved = items.get(checkpointKey('s'))
  items.put({ ...moved, ...keyEntry(checkpointKey('s')), gap: { BOOL: true }, gaps: { N: '1' } })
  items.put({ ...keyEntry(checkpointKey('t')), sequenceNumber: { S: '1' } })
  isSplit = true
  expect(await repair(derived, quick)).toMatchObject({ gapsCleared: 1, gaps: [] })
  expect(await readCheckpoint(items, 's')).toMatchObject({ finished: true, gap: false, gaps: 1 })
  expect((await readCheckpoint(items, 't')).finished).toBe(false)
})

test('a closed shard is not finished for a copy that has not got all of it', async () => {
  let isSplit = false
  const { derived, shards, items } = await filled({ shards: ['s', 't'], shardOf: () => (isSplit ? 't' : 's') })
  Object.assign(shards[0] ?? {}, { closed: true })
  Object.assign(shards[1] ?? {}, { parent: 's' })
  isSplit = true
  const cache: CopyProjection = { name: 'cache', collection: 'X', isItem: () => true, apply: async () => {} }
  await repair({ ...derived, projections: [...derived.projections, cache] }, quick)
  expect((await readCheckpoint(items, 's')).finished).toBe(false)
})

test('a gap that is noted while it is mended stays for the next repair', async () => {
  let isNoted = true
  const { items, derived } = await filled({
    before(command) {
      if (isNoted || command.constructor.name !== 'UpdateItemCommand') return
      if (!JSON.stringify((command as { input: object }).input).includes('REMOVE gap')) return
      isNoted = true
      items.put({ ...items.get(checkpointKey('s')), ...keyEntry(checkpointKey('s')), gaps: { N: '3' } })
    },
  })
  items.put({
    ...items.get(checkpointKey('s')),
    ...keyEntry(checkpointKey('s')),
    gap: { BOOL: true },
    gaps: { N: '2' },
  })
  isNoted = false
  expect(await repair(derived, quick)).toMatchObject({ gapsCleared: 0, gaps: ['s'] })
  expect((await readCheckpoint(items, 's')).gap).toBe(true)
})

test('a copy that refused a change is given the item by a repair', async () => {
  const given: string[] = []
  const cache: CopyProjection = {
    ...{ name: 'cache', collection: 'X', isItem: (key: { readonly PK: string }) => key.PK.startsWith('X#') },
    apply: async (changes) => void given.push(...changes.map(({ key }) => key.PK)),
  }
  const { items, derived } = await filled()
  const letter = { key: itemKey('1'), shardId: 's', sequenceNumber: '1', at: 0, reason: 'odd', refusedBy: ['cache'] }
  await items.send(new TransactWriteItemsCommand({ TransactItems: [deadLetterWrite(items, letter)] }))
  expect(await repair({ ...derived, projections: [...derived.projections, cache] }, quick)).toMatchObject({
    deadLettersForgotten: 1,
  })
  expect(given).toEqual(['X#1'])
})

test('rebuild makes what was never counted, dated by when it is counted, and waits for what is left', async () => {
  const { items, derived, spoil, counts, count, write } = await filled()
  spoil('a', undefined)
  spoil('b', undefined)
  await write('5', 'q')
  const onProgress = ({ phase }: MaintenanceProgress): void => {
    if (phase === 'count') void count()
  }
  const rebuilt = await rebuild(derived, { ...quick, onProgress })
  expect(rebuilt).toMatchObject({ mended: 2, compared: 2, pending: 0, items: 5 })
  expect([counts('a'), counts('b')]).toEqual([{ count_q: 3, count_r: 1 }, { count_q: 1 }])
  // Of what is left to count the first change is as old.
  expect(items.get(countsKey('b'))?.asOf?.S).toBe(new Date(MADE_AT).toISOString())
  expect((await verify(derived, quick)).differences).toEqual([])
  spoil('b', undefined)
  await rebuild(derived, quick)
  expect(Date.parse(items.get(countsKey('b'))?.asOf?.S ?? '')).toBeGreaterThanOrEqual(started)
})

test('rebuild reads every derived item at a snapshot', async () => {
  const { derived } = await filled()
  expect(await rebuild(derived, quick)).toMatchObject({ mended: 0, compared: 2, differenceCount: 0 })
})

test('rebuild of one projection touches no other, and leaves gaps and dead letters', async () => {
  const others: SumProjection = {
    ...{ ...values, name: 'others', isItem: () => false, contributions: () => [] },
    owns: ({ PK }) => PK.startsWith('~others'),
  }
  const { items, derived, spoil, counts } = await filled({ projections: [values, others] })
  const stray = keyEntry({ PK: '~others', SK: '~' })
  items.put({ ...stray, count_q: { N: '1' } })
  items.put({
    ...items.get(checkpointKey('s')),
    ...keyEntry(checkpointKey('s')),
    gap: { BOOL: true },
    gaps: { N: '1' },
  })
  const letter = { key: itemKey('1'), shardId: 's', sequenceNumber: '1', at: 0, reason: 'odd', refusedBy: [] }
  await items.send(new TransactWriteItemsCommand({ TransactItems: [deadLetterWrite(items, letter)] }))
  spoil('a', { count_q: 9 })
  expect(await rebuild(derived, quick, { only: ({ name }) => name === 'values' })).toMatchObject({
    ...{ mended: 1, compared: 2, targets: 2, gapsCleared: 0, gaps: ['s'] },
    ...{ deadLettersForgotten: 0, deadLetters: 1 },
  })
  expect(counts().count_q).toBe(2)
  expect(items.get({ PK: '~others', SK: '~' })).toBeDefined()
  expect(await listDeadLetters(items)).toHaveLength(1)
})

test('rebuild and repair are refused while another process mends, and name it', async () => {
  const { items, derived } = await filled()
  const key = { PK: '~MAINTENANCE', SK: '~' }
  let turns = 0
  const renewed = {
    ...items,
    async sleep() {
      turns += 1
      items.put({ ...keyEntry(key), owner: { S: 'other' }, leasedUntil: { N: String(clock() + 1e9 + turns) } })
    },
  }
  await renewed.sleep()
  for (const mend of [repair, rebuild]) {
    await expect(mend({ ...derived, table: renewed }, { ...quick, owner: 'me' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'other is mending this derived data; wait until it is done',
    })
  }
})

test('changes of a stream that was switched off are not counted any more, and what was counted of it is seen', async () => {
  const { items, derived, counts, spoil } = await filled()
  items.put({
    ...keyEntry(checkpointKey('old')),
    sequenceNumber: { S: '5' },
    owner: { S: 'a' },
    leasedUntil: { N: '1' },
  })
  items.put({ ...keyEntry(checkpointKey('older')), finished: { BOOL: true } })
  spoil('a', { count_q: 9 })
  expect(await repair(derived, quick)).toMatchObject({ mended: 1 })
  expect(counts().count_q).toBe(2)
  expect(await readCheckpoint(items, 'old')).toMatchObject({ finished: true, owner: undefined })
  expect(items.get(checkpointKey('older'))?.ttl).toBeUndefined()
  expect((await readCheckpoint(items, 's')).finished).toBe(false)
})

test('what was counted of another stream behind the scan is found by a second look', async () => {
  let isBehind = false
  const { items, derived, spoil, counts } = await filled({
    before(command) {
      if (isBehind || !(command instanceof ScanCommand)) return
      isBehind = true
      setTimeout(() => spoil('a', { count_q: 9 }), 5)
    },
  })
  items.put({ ...keyEntry(checkpointKey('old')), sequenceNumber: { S: '5' } })
  expect(await repair(derived, quick)).toMatchObject({ mended: 1 })
  expect(counts().count_q).toBe(2)
})

test('it is stopped by its signal, before it begins or in its midst, and gives the lease back', async () => {
  const { items, derived } = await filled()
  const stopped = { code: 'aborted', message: 'it was stopped; run it again to go on' }
  await expect(verify(derived, { ...quick, signal: AbortSignal.abort() })).rejects.toMatchObject(stopped)
  const stop = new AbortController()
  const stopping = {
    ...items,
    async send(command: never): Promise<never> {
      if ((command as object) instanceof ScanCommand) stop.abort()
      return (await items.send(command)) as never
    },
  } as typeof items
  await expect(repair({ ...derived, table: stopping }, { ...quick, signal: stop.signal })).rejects.toMatchObject(
    stopped,
  )
  expect(items.get({ PK: '~MAINTENANCE', SK: '~' })?.owner).toBeUndefined()
  expect(items.entries.filter(({ PK }) => PK?.S?.startsWith('~PROBE'))).toEqual([])
})

test('it tells how far it is, phase by phase', async () => {
  const told: MaintenanceProgress[] = []
  let isSlow = false
  const { derived, spoil } = await filled({
    before: async (command) => {
      if (!isSlow || !/Scan|TransactGet|PutItem/.test(command.constructor.name)) return
      await new Promise((resolve) => setTimeout(resolve, 700))
    },
  })
  spoil('a', { count_q: 9 })
  isSlow = true
  const { capacity } = await verify(derived, { ...quick, segments: 1, onProgress: (each) => told.push(each) })
  expect(told[0]).toMatchObject({ phase: 'scan', done: 0, total: 7, differences: 0 })
  expect([...new Set(told.map(({ phase }) => phase))]).toEqual(['scan', 'stream', 'compare'])
  expect(told.at(-1)).toMatchObject({ phase: 'compare', done: 1, total: 1 })
  expect(capacity).toBeGreaterThan(0)
  expect(Number.isInteger(capacity)).toBe(true)
  const after = told.length
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(told).toHaveLength(after)
})

test('it reads in parts as told, and in small ones within a capacity', async () => {
  const { items, derived } = await filled()
  const scans = async (given: MendOptions): Promise<unknown[]> => {
    items.sent.length = 0
    await verify(derived, { ...quick, ...given })
    return items.sent.filter(({ name }) => name === 'Scan').map(({ input }) => input)
  }
  const whole = { ConsistentRead: true, Limit: 500 }
  expect(await scans({ segments: 1 })).toMatchObject([whole])
  const [first, second] = [0, 1].map((Segment) => ({ ...whole, Segment, TotalSegments: 2 }))
  expect(await scans({})).toMatchObject([first, second])
  expect(await scans({ capacity: 1_000 })).toMatchObject([
    { ...first, Limit: 100 },
    { ...second, Limit: 100 },
  ])
})
