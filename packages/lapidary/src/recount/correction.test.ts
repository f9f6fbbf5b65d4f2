import { expect, test } from 'vitest'
import { countsKey, values } from '../../test/memory-items/counted-table.ts'
import { memoryItems } from '../../test/memory-items/memory-items.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Addition } from '../derived/sum-projection.ts'
import { createCapacityBudget } from '../table/capacity-budget.ts'
import { mend } from './correction.ts'
import { beginFence } from './fence.ts'

const key = { PK: '~MAINTENANCE', SK: '~' }
const corrections = (count: number): Addition[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ projection: values, target: countsKey(String(i)), amounts: { count_q: 2 }, at: 0 },
  }))

async function mending(perSecond = Number.POSITIVE_INFINITY) {
  const items = memoryItems()
  items.put({ ...keyEntry(key), owner: { S: 'mine' } })
  const fence = await beginFence(items, key, 'mine')
  items.sent.length = 0
  const writes = () =>
    items.sent
      .filter(({ name }) => name === 'TransactWriteItems')
      .map(({ input }) => (input as { TransactItems: unknown[] }).TransactItems.length)
  return {
    ...{ items, writes, fence },
    context: {
      ...{ table: items, signal: new AbortController().signal },
      budget: createCapacityBudget(perSecond, () => performance.now()),
    },
  }
}

test('corrections are added to what is there, as many in a transaction as go into one beside its fence', async () => {
  const { items, writes, context, fence } = await mending()
  items.put({ ...keyEntry(countsKey('3')), count_q: { N: '5' } })
  await mend(context, fence, corrections(120))
  expect(writes()).toEqual([100, 22])
  expect(items.get(countsKey('3'))?.count_q?.N).toBe('7')
  expect(items.get(countsKey('119'))?.count_q?.N).toBe('2')
  await mend(context, fence, [])
  expect(writes()).toHaveLength(2)
})

test('within a small capacity they are made in small transactions, and each is charged', async () => {
  const { writes, context, fence } = await mending(40)
  await mend(context, fence, corrections(4))
  expect(writes()).toEqual([4, 2])
  // Each takes two units an item, read and written.
  expect(context.budget.spent).toBe(4 + 2 * 6)
  const least = await mending(1)
  await mend(least.context, least.fence, corrections(1))
  expect(least.writes()).toEqual([2])
})

test('none is made once it is stopped', async () => {
  const { items, context, fence } = await mending()
  const stop = new AbortController()
  const next = () => {
    const guard = fence.next()
    stop.abort()
    return guard
  }
  await expect(mend({ ...context, signal: stop.signal }, { next }, corrections(120))).rejects.toThrow('aborted')
  expect([items.get(countsKey('98')), items.get(countsKey('99'))]).toEqual([expect.anything(), undefined])
})
