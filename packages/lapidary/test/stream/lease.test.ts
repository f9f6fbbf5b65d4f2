import { setTimeout as sleep } from 'node:timers/promises'
import { GetItemCommand, PutItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { LapidaryError } from 'lapidary'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { keyEntry } from '../../src/derived/guarded-write.ts'
import { beginFence } from '../../src/recount/fence.ts'
import { checkpointKey, endShard, readCheckpoint } from '../../src/stream/checkpoint.ts'
import { commit, type Guard } from '../../src/stream/commit.ts'
import { holdLease, leaseOf } from '../../src/stream/lease.ts'
import { openTestTable } from './test-table.ts'

const key = { PK: '~LEASE', SK: '~' }
/** A guard with another write in its transaction. */
const beside = (guard: Guard, write: TransactWriteItem): Guard => ({ ...guard, writes: [...guard.writes, write] })

test('is kept without a write until half of it is over, and taken over once it has ended', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName } = setting
  let now = 1_000
  const clock = () => now
  const mine = leaseOf(table, { key, owner: 'mine', leaseMs: 300, clock })
  const other = leaseOf(table, { key, owner: 'other', leaseMs: 300, clock })
  const until = async () =>
    Number(
      (await client.send(new GetItemCommand({ TableName: tableName, Key: keyEntry(key), ConsistentRead: true }))).Item
        ?.leasedUntil?.N,
    )
  expect(await mine.keep()).toBe(true)
  now = 1_150
  expect(await mine.keep()).toBe(true)
  expect(await until()).toBe(1_300)
  now = 1_151
  expect(await mine.keep()).toBe(true)
  expect(await until()).toBe(1_451)
  expect(await other.renew()).toBe(false)
  now = 1_452
  expect(await other.renew()).toBe(true)
  now = 1_600
  expect(await mine.keep()).toBe(false)
  await mine.release()
  expect(await mine.renew()).toBe(false)
  await other.release()
  expect(await mine.renew()).toBe(true)
})

test('of a shard that was retired is lost, and the process that still counts it does not get it back', async () => {
  await using setting = await openTestTable()
  const { table } = setting
  const lease = leaseOf(table, { key: checkpointKey('old'), owner: 'mine', leaseMs: 300, clock: () => 1_000 })
  expect(await lease.renew()).toBe(true)
  await endShard(table, 'old', 1_000)
  expect(await lease.renew()).toBe(false)
  expect(await readCheckpoint(table, 'old')).toMatchObject({ finished: true, owner: undefined })
})

test('a held lease that went to another process fences writes, and says that it was lost', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName: TableName } = setting
  const lost = vi.fn<(error: LapidaryError) => void>()
  await using _lease = await holdLease(table, { key, owner: 'mine', leaseMs: 600, clock: Date.now }, 'things', lost)
  const fence = await beginFence(table, key, 'mine')
  const write = (id: string) =>
    commit(table, beside(fence.next(), { Put: { TableName, Item: keyEntry({ PK: id, SK: '~' }) } }), [])
  expect(await write('a')).toBe('written')
  const leasedUntil = { N: String(Date.now() + 600_000) }
  await client.send(new PutItemCommand({ TableName, Item: { ...keyEntry(key), owner: { S: 'other' }, leasedUntil } }))
  await expect(write('b')).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('took over') })
  await vi.waitFor(() => expect(lost).toHaveBeenCalled(), PATIENCE)
  expect(lost.mock.calls[0]?.[0]).toMatchObject({ message: 'the lease on things was lost; run it again' })
})

test('a commit from a turn that is over is refused, also by the same owner', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName: TableName } = setting
  await client.send(new PutItemCommand({ TableName, Item: { ...keyEntry(key), owner: { S: 'mine' } } }))
  const put = (id: string) => ({ Put: { TableName, Item: keyEntry({ PK: id, SK: '~' }) } })
  const former = (await beginFence(table, key, 'mine')).next()
  const fence = await beginFence(table, key, 'mine')
  await expect(commit(table, beside(former, put('a')), [])).rejects.toThrow('took over')
  const guard = fence.next()
  expect(await commit(table, beside(guard, put('b')), [])).toBe('written')
  expect(await commit(table, beside(guard, put('c')), [])).toBe('spent')
  await expect(beginFence(table, key, 'other')).rejects.toMatchObject({ code: 'unavailable' })
})

test('is held as long as its holder lives, however short its time, and a second holder is told who has it', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName: TableName } = setting
  const lost = vi.fn<(error: LapidaryError) => void>()
  const hold = (owner: string) =>
    holdLease({ ...table, sleep }, { key, owner, leaseMs: 600, clock: Date.now }, 'things', lost)
  const until = async () =>
    Number(
      (await client.send(new GetItemCommand({ TableName, Key: keyEntry(key), ConsistentRead: true }))).Item?.leasedUntil
        ?.N,
    )
  {
    await using _lease = await hold('mine')
    const first = await until()
    await expect(hold('other')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'mine is mending things; wait until it is done',
      details: { holder: 'mine' },
    })
    await vi.waitFor(async () => expect(await until()).toBeGreaterThan(first + 600), PATIENCE)
  }
  expect(lost).not.toHaveBeenCalled()
  await using _next = await hold('other')
})

test('of a process that died is taken over at its end', async () => {
  await using setting = await openTestTable()
  const { table, client, tableName: TableName } = setting
  const dead = { ...keyEntry(key), owner: { S: 'dead' }, leasedUntil: { N: String(Date.now() + 300) } }
  await client.send(new PutItemCommand({ TableName, Item: dead }))
  const lost = vi.fn<(error: LapidaryError) => void>()
  await using _lease = await holdLease(
    { ...table, sleep },
    { key, owner: 'mine', leaseMs: 600, clock: Date.now },
    'things',
    lost,
  )
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: keyEntry(key), ConsistentRead: true }))
  expect(Item?.owner?.S).toBe('mine')
})
