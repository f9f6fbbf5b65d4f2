import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import {
  checkpointKey,
  checkpointMove,
  checkpointOf,
  clearGap,
  endShard,
  followedShard,
  moveOf,
  noteGap,
  readCheckpoints,
} from './checkpoint.ts'

/** A table with the checkpoint of the shard `s`. */
function tableWith(held: Entry = {}, follower?: string) {
  const items = memoryItems()
  const key = checkpointKey('s', follower)
  if (Object.keys(held).length > 0) items.put({ ...keyEntry(key), ...held })
  const now = (): Entry => {
    const { PK, SK, ...rest } = items.get(key) ?? {}
    return rest
  }
  return { items, table: { ...items, follower }, now }
}

const mine: Entry = { owner: { S: 'mine' }, leasedUntil: { N: '9' }, sequenceNumber: { S: '5' } }
const NOW = 1_700_000_000_900
const IN_A_WEEK = { N: String(1_700_000_000 + 7 * 86_400) }

test('each follower has checkpoints of its own, which tell their shard', () => {
  const { PK } = checkpointKey('shard#1', 'files')
  expect(PK).not.toBe(checkpointKey('shard#1').PK)
  expect(followedShard(PK, 'files')).toBe('shard#1')
  expect(followedShard(PK, 'other files')).toBeUndefined()
  expect(followedShard(checkpointKey('shard#1').PK, 'files')).toBeUndefined()
})

test('keys of checkpoints are those that tables hold already', () => {
  expect(checkpointKey('s')).toEqual({ PK: '~STREAM#s', SK: '~' })
  expect(checkpointKey('s', 'files')).toEqual({ PK: '~FOLLOWER#files#s', SK: '~' })
})

test('a checkpoint that is not there is that of a shard of which nothing is counted', () => {
  expect(checkpointOf(undefined)).toEqual({
    ...{ sequenceNumber: undefined, owner: undefined, leasedUntil: 0 },
    ...{ finished: false, gap: false, gaps: 0, byLambda: false, isCaughtUp: false, register: 0 },
  })
})

test('Lambda has moved a checkpoint last where its mark is at the same place', () => {
  const byLambda = (lambda: string | undefined) =>
    checkpointOf({ sequenceNumber: { S: '7' }, ...(lambda === undefined ? {} : { lambda: { S: lambda } }) }).byLambda
  expect([byLambda('7'), byLambda('6'), byLambda(undefined)]).toEqual([true, false, false])
  expect(checkpointOf({}).byLambda).toBe(false)
  expect(checkpointOf({ lambda: { S: '7' } }).byLambda).toBe(false)
})

test('checkpoints are read as they are now, by their shards', async () => {
  const { items, table } = tableWith(mine)
  await noteGap(table, 's', 'mine')
  await noteGap(table, 'other', undefined)
  items.sent.length = 0
  const checkpoints = await readCheckpoints(
    table,
    ['s', 'other', 'new'].map((shardId) => ({ shardId })),
  )
  expect(checkpoints.get('s')).toEqual({
    ...{ sequenceNumber: '5', owner: 'mine', leasedUntil: 9 },
    ...{ finished: false, gap: true, gaps: 1, byLambda: false, isCaughtUp: false, register: 0 },
  })
  expect(checkpoints.get('other')).toMatchObject({ sequenceNumber: undefined, gap: true, gaps: 1 })
  expect(checkpoints.get('new')).toEqual(checkpointOf(undefined))
  expect(items.sent.map(({ name }) => name)).toEqual(['BatchGetItem'])
  const many = Array.from({ length: 250 }, (_, i) => (i === 249 ? 's' : `shard ${i}`))
  const held = await readCheckpoints(
    table,
    many.map((shardId) => ({ shardId })),
  )
  expect([...held.keys()]).toEqual(many)
  expect([...held].flatMap(([shardId, { gaps }]) => (gaps > 0 ? [shardId] : []))).toEqual(['s'])
  expect(items.sent).toHaveLength(4)
})

test('checkpoints of a follower are read by their shards', async () => {
  const { table } = tableWith(mine, 'files')
  expect((await readCheckpoints(table, [{ shardId: 's' }])).get('s')).toMatchObject({
    sequenceNumber: '5',
    owner: 'mine',
  })
})

test.each<[string, boolean, Entry, string | undefined, string | undefined]>([
  ['its owner, from where it is', true, mine, 'mine', '5'],
  ['its owner, from elsewhere', false, mine, 'mine', '4'],
  ['its owner, as if nothing was counted', false, mine, 'mine', undefined],
  ['another', false, mine, 'other', '5'],
  ['the owner of a lease that is gone', false, { sequenceNumber: { S: '5' } }, 'mine', '5'],
  ['the owner of one that is new', true, { owner: { S: 'mine' } }, 'mine', undefined],
  ['Lambda, of a shard that is new', true, {}, undefined, undefined],
  ['Lambda, from where it is', true, { sequenceNumber: { S: '5' } }, undefined, '5'],
  ['Lambda, from elsewhere', false, { sequenceNumber: { S: '6' } }, undefined, '5'],
  ['Lambda, of a shard that was finished', false, { finished: { BOOL: true } }, undefined, undefined],
])('a checkpoint is moved by %s: %s', async (_, isMoved, held, owner, from) => {
  for (const follower of [undefined, 'files']) {
    const { table, now } = tableWith(held, follower)
    const move = table.send(
      new TransactWriteItemsCommand({ TransactItems: [checkpointMove(table, 's', owner, from, '8', undefined)] }),
    )
    if (!isMoved) await expect(move).rejects.toMatchObject({ name: 'TransactionCanceledException' })
    else await move
    const byLambda = owner === undefined ? { lambda: { S: '8' } } : {}
    expect(now()).toEqual(isMoved ? { ...held, sequenceNumber: { S: '8' }, ...byLambda } : held)
  }
})

test('a turn is moved as a checkpoint is, with nothing beside it', async () => {
  const { items, table } = tableWith()
  items.put({ ...keyEntry({ PK: 'x', SK: '~' }), owner: { S: 'mine' } })
  const move = moveOf(table, { PK: 'x', SK: '~' }, 'turn', 'mine', undefined, '1')
  await table.send(new TransactWriteItemsCommand({ TransactItems: [move] }))
  expect(items.get({ PK: 'x', SK: '~' })).toMatchObject({ owner: { S: 'mine' }, turn: { S: '1' } })
})

test('a shard is finished by who has its lease, which ends, and is forgotten in a week', async () => {
  for (const follower of [undefined, 'files']) {
    const { table, now } = tableWith(mine, follower)
    expect(await endShard(table, 's', NOW, { owner: 'other' })).toBe(false)
    expect(now()).toEqual(mine)
    expect(await endShard(table, 's', NOW, { owner: 'mine' })).toBe(true)
    expect(now()).toEqual({ sequenceNumber: { S: '5' }, finished: { BOOL: true }, ttl: IN_A_WEEK })
    expect(await endShard(table, 's', NOW, { owner: 'mine' })).toBe(false)
  }
})

test('a shard of which nothing is left is ended without its gap', async () => {
  const { table, now } = tableWith({ ...mine, gap: { BOOL: true }, gaps: { N: '2' } })
  await endShard(table, 's', NOW, { isMadeUpFor: true })
  expect(now()).toEqual({ sequenceNumber: { S: '5' }, gaps: { N: '2' }, finished: { BOOL: true }, ttl: IN_A_WEEK })
})

test('a shard that is not of the stream any more is retired, and its lease is gone; a gap stays until it is made up for', async () => {
  const { table, now } = tableWith({ ...mine, gap: { BOOL: true }, gaps: { N: '1' } })
  await endShard(table, 's', NOW)
  const left = { sequenceNumber: { S: '5' }, gaps: { N: '1' }, finished: { BOOL: true } }
  expect(now()).toEqual({ ...left, gap: { BOOL: true } })
  expect(await clearGap(table, 's', 1, NOW)).toBe(true)
  expect(now()).toEqual({ ...left, ttl: IN_A_WEEK })
})

test('gaps are counted by who has the lease, or without one, and not of a shard that is finished', async () => {
  const { table, now } = tableWith(mine)
  await noteGap(table, 's', 'other')
  expect(now()).toEqual(mine)
  await noteGap(table, 's', 'mine')
  await noteGap(table, 's', undefined)
  expect(now()).toEqual({ ...mine, gap: { BOOL: true }, gaps: { N: '2' } })
  const finished = tableWith({ finished: { BOOL: true } })
  await noteGap(finished.table, 's', undefined)
  expect(finished.now()).toEqual({ finished: { BOOL: true } })
})

test.each<[number, Entry, boolean]>([
  [2, { gap: { BOOL: true }, gaps: { N: '2' } }, true],
  [1, { gap: { BOOL: true }, gaps: { N: '2' } }, false],
  [0, { gap: { BOOL: true }, gaps: { N: '2' } }, false],
  [0, { gap: { BOOL: true } }, true],
  [1, { gap: { BOOL: true } }, false],
])('a gap is cleared by who knew of %i, of %j: %s', async (gaps, held, isCleared) => {
  const { table, now } = tableWith(held)
  expect(await clearGap(table, 's', gaps, NOW)).toBe(isCleared)
  const { gap, ...rest } = held
  expect(now()).toEqual(isCleared ? rest : held)
})

test('the register tells of no loss of a shard that is finished, unless it lost something before', async () => {
  const told = (items: ReturnType<typeof tableWith>['items']) =>
    items.get({ PK: '~DERIVED', SK: 'gap#s' }) !== undefined
  const finished = tableWith({ ...mine, finished: { BOOL: true } })
  expect(await noteGap(finished.table, 's', undefined)).toBe(false)
  expect(told(finished.items)).toBe(false)
  const lossy = tableWith(mine)
  expect(await noteGap(lossy.table, 's', 'mine')).toBe(true)
  await endShard(lossy.table, 's', NOW)
  expect(await noteGap(lossy.table, 's', undefined)).toBe(false)
  expect(told(lossy.items)).toBe(true)
  // Who won the lease finds the loss, too.
  const taken = tableWith(mine)
  expect(await noteGap(taken.table, 's', 'other')).toBe(false)
  expect(told(taken.items)).toBe(true)
})
