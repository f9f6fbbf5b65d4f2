import { TransactGetItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { countsKey, values } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { targetId } from '../derived/target-key.ts'
import { checkpointKey } from '../stream/checkpoint.ts'
import { createCapacityBudget } from '../table/capacity-budget.ts'
import { snapshotSize, takeSnapshot } from './snapshot.ts'
import type { Target } from './tally.ts'

const target = (scope: string): Target => ({
  ...{ projection: values, key: countsKey(scope), sums: new Map(), seen: undefined, touched: false },
})
const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more })
const conflict = (): Error => named('TransactionCanceledException', { CancellationReasons: [{ Code: 'Conflict' }] })
const unlimited = () => createCapacityBudget(Number.POSITIVE_INFINITY, () => 0)

test('as many targets are read as are wanted and fit beside the checkpoints, and at least one', () => {
  expect([snapshotSize(1, 500), snapshotSize(40, 500), snapshotSize(99, 500)]).toEqual([99, 60, 1])
  expect([snapshotSize(1, 7.9), snapshotSize(1, 0.5)]).toEqual([7, 1])
  expect(() => snapshotSize(100, 1)).toThrow(
    expect.objectContaining({
      code: 'not_implemented',
      message: expect.stringContaining('has 100 open shards; at most 99 can be read at one moment'),
    }),
  )
})

test('targets and checkpoints are read together, as they are', async () => {
  const items = memoryItems()
  items.put({ ...keyEntry(countsKey('a')), count_q: { N: '2' } })
  items.put({ ...keyEntry(checkpointKey('s')), sequenceNumber: { S: '5' } })
  const budget = unlimited()
  const targets = [target('a'), target('b')]
  const snapshot = await takeSnapshot(items, ['s', 'new'], targets, budget)
  expect(snapshot.targets).toBe(targets)
  expect(snapshot.entries.get(targetId(countsKey('a')))).toMatchObject({ count_q: { N: '2' } })
  expect(snapshot.entries.get(targetId(countsKey('b')))).toBeUndefined()
  expect([...snapshot.checkpoints].map(([id, { sequenceNumber }]) => [id, sequenceNumber])).toEqual([
    ['s', '5'],
    ['new', undefined],
  ])
  expect(items.sent.map(({ name }) => name)).toEqual(['TransactGetItems'])
  expect(budget.spent).toBe(8)
})

test('what it may take is asked of the budget before, and what it took is charged', async () => {
  const reserved: number[] = []
  const charged: (number | undefined)[][] = []
  const budget = {
    ...{ spent: 0, perSecond: 1 },
    reserve: async (units: number) => void reserved.push(units),
    charge: (...units: (number | undefined)[]) => void charged.push(units),
  }
  const before = (command: object): unknown =>
    command instanceof TransactGetItemsCommand ? { ConsumedCapacity: [{ CapacityUnits: 3 }] } : undefined
  await takeSnapshot(memoryItems({ before }), ['s'], [target('a')], budget)
  expect([reserved, charged]).toEqual([[4], [[4, 3]]])
})

test('conflicts with writes are tried again with pauses, forty times, and other errors are not', async () => {
  const failing = (error: Error, times: number) => {
    let left = times
    let slept = 0
    const items = memoryItems({
      before() {
        if (left-- > 0) throw error
      },
    })
    const table = { ...items, sleep: async () => void slept++ }
    return { items, taken: takeSnapshot(table, ['s'], [target('a')], unlimited()), slept: () => slept }
  }
  const twice = failing(conflict(), 2)
  expect((await twice.taken).checkpoints.size).toBe(1)
  expect([twice.items.sent.length, twice.slept()]).toEqual([3, 2])
  const last = conflict()
  const ever = failing(last, 1_000)
  await expect(ever.taken).rejects.toMatchObject({
    ...{ code: 'unavailable', cause: last },
    message: 'writes kept conflicting with the reading of derived data; try again',
  })
  expect([ever.items.sent.length, ever.slept()]).toEqual([40, 39])
  const refused = Object.assign(conflict(), { CancellationReasons: [{ Code: 'ValidationError' }] })
  const bad = failing(refused, 1_000)
  await expect(bad.taken).rejects.toBe(refused)
  expect(bad.items.sent).toHaveLength(1)
  const denied = failing(named('AccessDenied'), 1_000)
  await expect(denied.taken).rejects.toThrow('AccessDenied')
  expect(denied.items.sent).toHaveLength(1)
})
