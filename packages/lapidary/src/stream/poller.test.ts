import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { countedTable, itemKey } from '../../test/memory-items/counted-table.ts'
import { createFreshness } from '../derived/freshness.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { checkpointKey, endShard, readCheckpoint } from './checkpoint.ts'
import { noteStream } from './counted-stream.ts'
import { type Poller, startPoller } from './poller.ts'
import type { PollerOptions } from './polling.ts'
import { createRunner } from './runner.ts'

type Counted = ReturnType<typeof countedTable>
type Options = Partial<PollerOptions>

const QUICK = { idleMs: 1, gatherMs: 1, discoverMs: 5 }
const OWNED = { owner: { S: 'another process' }, leasedUntil: { N: String(2 ** 45) }, leaseMs: { N: '6000' } }

const running: Poller[] = []
afterEach(async () => {
  for (const poller of running.splice(0)) await poller.close()
})

function poll({ items, derived }: Counted, options: Options = {}): Poller {
  const runner = createRunner({ table: items, projections: derived.projections })
  const poller = startPoller({ streams: derived.streams, runner, ...QUICK, ...options })
  running.push(poller)
  return poller
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How often a checkpoint, or any other item, was read. */
function readsOf({ items }: Counted, partition: string): number {
  const keys = items.sent.map(({ name, input }) => (name.endsWith('GetItem') ? JSON.stringify(input) : ''))
  return keys.filter((key) => key.includes(`"${partition}"`)).length
}

const updatesOf = ({ items }: Counted, shardId: string): readonly string[] =>
  items.sent
    .filter(({ name, input }) => name === 'UpdateItem' && JSON.stringify(input).includes(`~STREAM#${shardId}"`))
    .map(({ input }) => (input as { readonly UpdateExpression: string }).UpdateExpression)

function put({ items }: Counted, shardId: string, attributes: object): void {
  items.put({ ...keyEntry(checkpointKey(shardId)), ...attributes })
}

/** Another record of an item as it is, which changes no count. */
function record(id: string, sequenceNumber: number) {
  const image = { ...keyEntry(itemKey(id)), v: { S: 'q' }, scope: { S: 'a' } }
  return {
    dynamodb: {
      ...{ Keys: keyEntry(itemKey(id)), OldImage: image, NewImage: image, SequenceNumber: String(sequenceNumber) },
      ApproximateCreationDateTime: new Date(),
    },
  }
}

test('of a read that takes several commits all is counted before the next read', async () => {
  const table = countedTable()
  for (let i = 0; i < 250; i++) await table.write(String(i), 'q', `scope ${i}`)
  poll(table)
  await expect.poll(() => table.counts('scope 249')).toEqual({ count_q: 1 })
  await table.write('250', 'q', 'scope 0')
  await expect.poll(() => table.counts('scope 0')).toEqual({ count_q: 2 })
  for (let i = 1; i < 250; i++) expect(table.counts(`scope ${i}`)).toEqual({ count_q: 1 })
})

test('a shard in which much is waiting does not have the others read more often', async () => {
  const table = countedTable({ shards: ['much', 'quiet'] })
  const [much] = table.shards
  let sequence = 2_000
  const reads = { much: 0, quiet: 0 }
  const send = table.derived.streams.send.bind(table.derived.streams)
  const streams = {
    async send(command: { readonly input: { readonly ShardIterator?: string } }) {
      // As an answer from elsewhere comes.
      await turn()
      const { ShardIterator = '' } = command.input
      const name = ShardIterator.startsWith('much') ? 'much' : 'quiet'
      if (ShardIterator !== '') reads[name] += 1
      if (ShardIterator !== '' && name === 'much') {
        much?.records.splice(0, much.records.length, ...Array.from({ length: 1_000 }, () => record('a', sequence++)))
      }
      return send(command as never)
    },
  } as unknown as typeof table.derived.streams
  const poller = poll(table, { streams, idleMs: 10_000 })
  await expect.poll(() => reads.much).toBeGreaterThan(20)
  expect(reads.quiet).toBe(1)
  expect(poller.status().backlogReads).toBeGreaterThan(19)
})

test('a shard that has ended is neither released nor asked for again', async () => {
  const table = countedTable({ shards: ['parent', 'child'] })
  const [parent, child] = table.shards
  Object.assign(child ?? {}, { parent: 'parent' })
  Object.assign(parent ?? {}, { closed: true })
  await table.write('1', 'q')
  const poller = poll(table, { discoverMs: 1 })
  await expect.poll(() => poller.status().shards.map(({ shardId }) => shardId)).toEqual(['child'])
  expect(await readCheckpoint(table.items, 'parent')).toMatchObject({ finished: true })
  const before = readsOf(table, '~STREAM#parent')
  const looks = table.items.sent.filter(({ name }) => name === 'DescribeTable').length
  await expect
    .poll(() => table.items.sent.filter(({ name }) => name === 'DescribeTable').length)
    .toBeGreaterThan(looks + 5)
  expect(readsOf(table, '~STREAM#parent')).toBe(before)
  expect(updatesOf(table, 'parent').filter((update) => update.startsWith('REMOVE'))).toEqual([])
})

test('nothing is written to a shard that another process has finished, and its checkpoint is read once', async () => {
  const table = countedTable({ shards: ['parent', 'child'] })
  Object.assign(table.shards[1] ?? {}, { parent: 'parent' })
  await endShard(table.items, 'parent', Date.now())
  const written = updatesOf(table, 'parent').length
  const poller = poll(table)
  await expect.poll(() => poller.status().shards.map(({ shardId }) => shardId)).toEqual(['child'])
  await sleep(30)
  expect(updatesOf(table, 'parent')).toHaveLength(written)
  expect(readsOf(table, '~STREAM#parent')).toBe(1)
})

test('what is noted of a stream is looked for when it is first listed, and not again', async () => {
  const table = countedTable()
  poll(table)
  await expect.poll(() => table.items.sent.filter(({ name }) => name === 'DescribeTable').length).toBeGreaterThan(5)
  expect(readsOf(table, '~COUNTED')).toBe(1)
})

test('a stream that lists no shard yet is not noted', async () => {
  const table = countedTable({ shards: [] })
  poll(table)
  await expect.poll(() => table.items.sent.filter(({ name }) => name === 'DescribeTable').length).toBeGreaterThan(3)
  expect(table.items.entries).toEqual([])
})

test('an earlier stream is not counted, though the table still names it', async () => {
  const arnOf = (began: string) => `arn:table/things/stream/${began}`
  const table = countedTable({ description: { LatestStreamArn: arnOf('2026-01-01') } })
  await noteStream(table.items, arnOf('2026-01-02'), [{ shardId: 'new', parentShardId: undefined, start: undefined }])
  await table.write('1', 'q')
  const poller = poll(table)
  await expect.poll(() => table.items.sent.filter(({ name }) => name === 'DescribeTable').length).toBeGreaterThan(5)
  expect(poller.status().shards).toEqual([])
  expect(table.counts()).toEqual({})
})

test('a shard that another process has is looked for again before its lease can be over', async () => {
  const table = countedTable({ shards: ['ours', 'theirs'] })
  put(table, 'theirs', OWNED)
  const freshness = createFreshness()
  const poller = poll(table, { discoverMs: 60_000, leaseMs: 40, freshness })
  await expect.poll(() => poller.status().shards.map(({ shardId }) => shardId)).toEqual(['ours'])
  expect(updatesOf(table, 'theirs')).toEqual([])
  // Nor does it know what is counted there.
  expect(poller.status().caughtUpAt).toBeUndefined()
  expect(freshness.caughtUpAt).toBeUndefined()
  put(table, 'theirs', {})
  await expect
    .poll(() =>
      poller
        .status()
        .shards.map(({ shardId }) => shardId)
        .sort(),
    )
    .toEqual(['ours', 'theirs'])
  await expect.poll(() => freshness.caughtUpAt).toBeGreaterThan(0)
  expect(poller.status().caughtUpAt).toBeGreaterThan(0)
})

test('processes that share the shards of a new stream know together that it is counted to its end', async () => {
  const table = countedTable({ shards: ['ours', 'theirs'] })
  put(table, 'theirs', OWNED)
  let caughtUp = 0
  const runner = createRunner({ table: table.items, projections: table.derived.projections })
  const told = {
    ...runner,
    async caughtUp() {
      caughtUp += 1
    },
  }
  const poller = poll(table, { runner: told })
  const isTold = async (shardId: string): Promise<boolean> => (await readCheckpoint(table.items, shardId)).isCaughtUp
  await expect.poll(() => isTold('ours')).toBe(true)
  await sleep(20)
  expect(caughtUp).toBe(0)
  expect(updatesOf(table, 'ours').filter((update) => update.includes('caughtUpAt'))).toHaveLength(1)
  put(table, 'theirs', { ...OWNED, caughtUpAt: { N: '1' } })
  await expect.poll(() => caughtUp).toBe(1)
  // What this process does not count it knows nothing of.
  expect(poller.status().caughtUpAt).toBeUndefined()
})

test('a shard whose lease another process wins is open all the same', async () => {
  let isTaken = false
  const table: Counted = countedTable({
    shards: ['ours', 'contested'],
    before(command) {
      const { UpdateExpression = '', Key } = (command as { input: { UpdateExpression?: string; Key?: object } }).input
      if (isTaken || !UpdateExpression.startsWith('SET #owner') || !JSON.stringify(Key).includes('contested')) return
      isTaken = true
      put(table, 'contested', OWNED)
    },
  })
  const poller = poll(table)
  await expect.poll(() => isTaken).toBe(true)
  await expect.poll(() => poller.status().shards.map(({ lagMs }) => lagMs)).toEqual([0])
  await sleep(20)
  expect(poller.status().shards.map(({ shardId }) => shardId)).toEqual(['ours'])
  expect(poller.status().caughtUpAt).toBeUndefined()
})

test('is behind by the age of what it read last, once it has not read for more than a moment', async () => {
  const table = countedTable()
  let isStuck = false
  let now = 1_800_000_000_000
  const send = table.derived.streams.send.bind(table.derived.streams)
  const streams = {
    send: (command: { readonly input: { readonly ShardIterator?: string } }) =>
      isStuck && command.input.ShardIterator !== undefined ? new Promise(() => undefined) : send(command as never),
  } as unknown as typeof table.derived.streams
  const poller = poll(table, { streams, clock: () => now, quietMs: 500 })
  await expect.poll(() => poller.status().caughtUpAt).toBe(now)
  isStuck = true
  // A moment is a second longer than the longest pause between two reads.
  now += 1_500
  expect(poller.status()).toMatchObject({ lagMs: 0, shards: [{ shardId: 's', lagMs: 0 }] })
  now += 1
  expect(poller.status()).toMatchObject({ lagMs: 1_501, shards: [{ shardId: 's', lagMs: 1_501 }] })
})

test('is done with what it has read before it closes, and gives its leases back', async () => {
  const table = countedTable()
  for (let i = 0; i < 250; i++) await table.write(String(i), 'q', `scope ${i}`)
  const poller = poll(table)
  await expect.poll(() => table.counts('scope 0')).toEqual({ count_q: 1 })
  await poller.close()
  for (let i = 1; i < 250; i++) expect(table.counts(`scope ${i}`)).toEqual({ count_q: 1 })
  expect(await readCheckpoint(table.items, 's')).toMatchObject({ owner: undefined, leasedUntil: 0 })
})

test('a shard of which nothing was counted has lost records, also where a repair has ended a quiet one behind it', async () => {
  for (const [behind, isLost] of [
    [{ finished: { BOOL: true } }, true],
    [{ sequenceNumber: { S: '1900' } }, true],
    [{ sequenceNumber: { S: '1900' }, lambda: { S: '1900' } }, false],
    [{ sequenceNumber: { S: '1900' }, lambda: { S: '1900' }, finished: { BOOL: true } }, false],
  ] as const) {
    const table = countedTable({ shards: ['lost', 'behind'] })
    const [lost, child] = table.shards
    Object.assign(lost ?? {}, { trimmedTo: '1999', closed: true })
    Object.assign(child ?? {}, { parent: 'lost' })
    put(table, 'behind', behind)
    const poller = poll(table)
    await expect.poll(async () => (await readCheckpoint(table.items, 'lost')).finished).toBe(true)
    expect(await readCheckpoint(table.items, 'lost')).toMatchObject({ gap: isLost, gaps: isLost ? 1 : 0 })
    await poller.close()
  }
})

test('a shard that was given up is taken again once the clock is put back', async () => {
  let isBroken = true
  let now = 1_800_000_000_000
  const errors: unknown[] = []
  const table: Counted = countedTable({
    before(command) {
      if (isBroken && command.constructor.name === 'TransactWriteItemsCommand') throw new Error('away')
    },
  })
  await table.write('1', 'q')
  const clock = (): number => {
    now += 1
    return now
  }
  poll(table, { clock, onError: (error) => errors.push(error) })
  await expect.poll(() => errors.length).toBeGreaterThan(9)
  isBroken = false
  now -= 3_600_000
  await expect.poll(() => table.counts()).toEqual({ count_q: 1 })
})

test('what was read of a backlog that counts nowhere is told, of a shard that others follow', async () => {
  const table = countedTable({ shards: ['parent', 'child'] })
  const [parent, child] = table.shards
  Object.assign(child ?? {}, { parent: 'parent' })
  parent?.records.push(record('a', 1_001))
  const poller = poll(table)
  await expect.poll(() => poller.status().backlogReads).toBe(1)
  child?.records.push(record('b', 1_002))
  Object.assign(parent ?? {}, { closed: true })
  await expect.poll(() => poller.status().shards.map(({ shardId }) => shardId)).toEqual(['child'])
  await expect.poll(() => poller.status().caughtUpAt).toBeGreaterThan(0)
  expect(poller.status().backlogReads).toBe(1)
})
