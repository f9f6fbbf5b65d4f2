import { expect, test } from 'vitest'
import { createCapacityBudget } from './capacity-budget.ts'

test.each([0, -1, Number.NaN])('a capacity of %d, with which nothing can be done, is refused', (perSecond) => {
  expect(() => createCapacityBudget(perSecond, () => 0)).toThrow(
    expect.objectContaining({
      code: 'unprocessable',
      message: `the capacity is ${perSecond} units a second; give more than 0`,
    }),
  )
})

test('what was reserved and not taken is left for others', async () => {
  const budget = createCapacityBudget(10, () => 0)
  await budget.reserve(10, undefined)
  budget.charge(10, 4)
  await budget.reserve(6, undefined)
  expect(budget.spent).toBe(4)
})
