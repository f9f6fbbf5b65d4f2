import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { LapidaryError } from '../model/errors.ts'
import { heldLeaseOf, holdLease, ifOwner, leaseOf, updateIf, watchLeases } from './lease.ts'

const key = { PK: '~LEASE', SK: '~' }
const LEASE_MS = 600

beforeEach(() => void vi.useFakeTimers({ now: 100_000 }))
afterEach(() => void vi.useRealTimers())

/** A table whose pauses let the clock go on, and its lease. */
function leasing(before: (command: object) => void = () => {}) {
  const items = memoryItems({ before })
  const slept: number[] = []
  const table = {
    ...items,
    async sleep(milliseconds: number) {
      slept.push(milliseconds)
      await vi.advanceTimersByTimeAsync(milliseconds)
    },
  }
  const held = () => ({ owner: items.get(key)?.owner?.S, until: Number(items.get(key)?.leasedUntil?.N) })
  const lent = (owner: string, leasedUntil: number): void =>
    items.put({ ...keyEntry(key), owner: { S: owner }, leasedUntil: { N: String(leasedUntil) } })
  const options = (owner: string) => ({ key, owner, leaseMs: LEASE_MS, clock: Date.now })
  return { items, table, slept, held, lent, options }
}

test('is taken, kept without a write until half of it is over, and given back', async () => {
  const { items, table, held, options } = leasing()
  const lease = leaseOf(table, options('mine'))
  expect(lease.owner).toBe('mine')
  expect(await lease.keep()).toBe(true)
  expect(held()).toEqual({ owner: 'mine', until: 100_600 })
  vi.setSystemTime(100_300)
  expect([await lease.keep(), items.sent.length]).toEqual([true, 1])
  vi.setSystemTime(100_301)
  expect([await lease.keep(), items.sent.length]).toEqual([true, 2])
  expect(held()).toEqual({ owner: 'mine', until: 100_901 })
  await lease.release()
  expect(items.get(key)).toEqual(keyEntry(key))
})

test('of another is not taken before it has ended, nor given back by who has lost it', async () => {
  const { table, held, lent, options } = leasing()
  const lease = leaseOf(table, options('mine'))
  lent('other', 100_000)
  expect(await lease.renew()).toBe(false)
  await lease.release()
  expect(held()).toEqual({ owner: 'other', until: 100_000 })
  vi.setSystemTime(100_001)
  expect(await lease.renew()).toBe(true)
  expect(held()).toEqual({ owner: 'mine', until: 100_601 })
})

test('a held lease is renewed by one command at a time, the last of which is over before it is given back', async () => {
  const { items, table, held, options } = leasing()
  let answer = (): void => {}
  let sent = 0
  const slow = {
    ...table,
    async send(command: never) {
      sent += 1
      if (sent === 3) await new Promise<void>((resolve) => (answer = resolve))
      return items.send(command)
    },
  } as typeof table
  const lease = await holdLease(slow, options('mine'), 'things', () => {})
  expect([held(), sent]).toEqual([{ owner: 'mine', until: 100_600 }, 2])
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(sent).toBe(3)
  const ended = lease[Symbol.asyncDispose]()
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(sent).toBe(3)
  answer()
  await ended
  expect(items.get(key)).toEqual(keyEntry(key))
})

test('of what is finished is given to no process, also not to the one that had it', async () => {
  const { items, table, options } = leasing()
  items.put({ ...keyEntry(key), owner: { S: 'mine' }, finished: { BOOL: true } })
  expect(await leaseOf(table, options('mine')).renew()).toBe(false)
})

test('that was refused is asked for again at the next look', async () => {
  const { items, table, lent, options } = leasing()
  const lease = leaseOf(table, options('mine'))
  lent('other', 200_000)
  expect([await lease.keep(), await lease.keep(), items.sent.length]).toEqual([false, false, 2])
})

test('is held by renewing it, and given back once', async () => {
  const { table, held, options } = leasing()
  const lost = vi.fn<(error: LapidaryError) => void>()
  {
    await using _lease = await holdLease(table, options('mine'), 'things', lost)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(held().owner).toBe('mine')
    expect(held().until).toBeGreaterThanOrEqual(110_000 + LEASE_MS / 2)
  }
  expect(held().owner).toBeUndefined()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(held().owner).toBeUndefined()
  expect(lost).not.toHaveBeenCalled()
})

test('of a holder that renews it is refused, and names the holder', async () => {
  const { table, options, slept } = leasing()
  await using _lease = await holdLease(table, options('mine'), 'things', () => {})
  await expect(holdLease(table, options('other'), 'things', () => {})).rejects.toMatchObject({
    code: 'unavailable',
    message: 'mine is mending things; wait until it is done',
    details: { holder: 'mine' },
  })
  expect(slept.every((milliseconds) => milliseconds === LEASE_MS / 12)).toBe(true)
  expect(slept.length).toBeGreaterThan(1)
})

test('of a holder that died is taken over at its end, and one that changes hands meanwhile is not', async () => {
  const { table, held, lent, options } = leasing()
  lent('dead', 100_300)
  {
    await using _lease = await holdLease(table, options('mine'), 'things', () => {})
    expect(held().owner).toBe('mine')
    expect(Date.now()).toBeLessThanOrEqual(100_300 + 2 * (LEASE_MS / 12))
  }
  lent('dead', 200_000)
  let looks = 0
  const passed = {
    ...table,
    async sleep() {
      looks += 1
      lent('next', 200_000)
    },
  }
  await expect(holdLease(passed, options('mine'), 'things', () => {})).rejects.toThrow('next is mending things')
  expect(looks).toBe(1)
})

test('that was given back while it was asked for is taken', async () => {
  let isOurs = false
  const { items, table, held, lent, options } = leasing()
  lent('other', 200_000)
  const given = {
    ...table,
    async sleep() {
      isOurs = true
      items.delete(key)
    },
  }
  await using _lease = await holdLease(given, options('mine'), 'things', () => {})
  expect([isOurs, held().owner]).toEqual([true, 'mine'])
})

test('that is lost is told, with what to do, and one that could not be renewed for a moment is not', async () => {
  let isAway = false
  const { table, lent, options } = leasing(() => {
    if (isAway) throw new Error('away')
  })
  const lost = vi.fn<(error: LapidaryError) => void>()
  await using _lease = await holdLease(table, options('mine'), 'things', lost)
  isAway = true
  await vi.advanceTimersByTimeAsync(500)
  expect(lost).not.toHaveBeenCalled()
  isAway = false
  lent('other', 900_000)
  await vi.advanceTimersByTimeAsync(500)
  expect(lost.mock.calls[0]?.[0]).toMatchObject({
    code: 'unavailable',
    message: 'the lease on things was lost; run it again',
  })
})

test('ends also where it can not be given back', async () => {
  let isAway = false
  const { table, options } = leasing(() => {
    if (isAway) throw new Error('away')
  })
  const lease = await holdLease(table, options('mine'), 'things', () => {})
  isAway = true
  await expect(lease[Symbol.asyncDispose]()).resolves.toBeUndefined()
})

test('an update of the owner alone keeps its own condition, names and values', () => {
  const update = {
    UpdateExpression: 'SET #a = :a',
    ConditionExpression: 'attribute_exists(#a)',
    ExpressionAttributeNames: { '#a': 'a' },
    ExpressionAttributeValues: { ':a': { S: 'x' } },
  }
  expect(ifOwner('mine', update)).toEqual({
    UpdateExpression: 'SET #a = :a',
    ConditionExpression: 'attribute_exists(#a) AND #owner = :owner',
    ExpressionAttributeNames: { '#a': 'a', '#owner': 'owner' },
    ExpressionAttributeValues: { ':a': { S: 'x' }, ':owner': { S: 'mine' } },
  })
})

test('an update on a condition tells whether it was made, and fails as the table does', async () => {
  const named = (name: string): Error => Object.assign(new Error(name), { name })
  const update = { UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': { S: 'x' } } }
  const { items, table } = leasing()
  expect(await updateIf(table, key, update)).toBe(true)
  expect(items.get(key)).toEqual({ ...keyEntry(key), a: { S: 'x' } })
  expect(await updateIf(table, key, { ...update, ConditionExpression: 'attribute_not_exists(a)' })).toBe(false)
  for (const error of [named('AccessDenied'), 'ConditionalCheckFailedException']) {
    const refusing = leasing(() => {
      throw error
    })
    await expect(updateIf(refusing.table, key, update)).rejects.toBe(error)
  }
})

test('is of a process that died once it stands as it is for as long as it was given, whatever time it tells', () => {
  let now = 1_000
  const isDead = watchLeases(() => now)
  const held = (leasedUntil: number, leaseMs: number | undefined = 300) => ({ owner: 'other', leasedUntil, leaseMs })
  const ahead = held(86_400_000)
  expect(isDead('a', ahead)).toBe(false)
  now = 1_300
  expect(isDead('a', ahead)).toBe(false)
  now = 1_301
  expect([isDead('a', ahead), isDead('b', ahead)]).toEqual([true, false])
  // One that lives renews it.
  expect(isDead('a', held(86_400_150))).toBe(false)
  now = 1_602
  expect([isDead('a', held(86_400_150)), isDead('a', { ...held(86_400_150), owner: 'next' })]).toEqual([true, false])
  // Of a lease that does not tell how long it is nothing is known, nor by a clock that was put back.
  isDead('c', held(5, undefined))
  now = 99_000
  expect(isDead('c', { ...held(5), leaseMs: undefined })).toBe(false)
  isDead('d', held(5))
  now = 98_000
  expect(isDead('d', held(5))).toBe(false)
  now = 98_301
  expect(isDead('d', held(5))).toBe(true)
})

test('of a process that died is taken as it was seen, and not once it is renewed', async () => {
  const { items, table, options: of } = leasing()
  const [other, mine] = [leaseOf(table, of('other')), leaseOf(table, of('mine'))]
  await other.renew()
  const seen = heldLeaseOf(items.get(key))
  expect(await mine.renew({ ...seen, leasedUntil: seen.leasedUntil + 1 })).toBe(false)
  expect(await mine.renew({ ...seen, owner: 'third' })).toBe(false)
  expect(await mine.renew(seen)).toBe(true)
  expect(await other.renew()).toBe(false)
})
