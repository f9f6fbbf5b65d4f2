import { expect, test } from 'vitest'
import { inLanes } from './in-lanes.ts'

test('where one of many fails, what is not begun yet is not begun', async () => {
  const begun: number[] = []
  const all = inLanes(
    Array.from({ length: 100 }, (_, i) => i),
    2,
    async (i) => {
      begun.push(i)
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (i === 0) throw new Error('refused')
    },
  )
  await expect(all).rejects.toThrow('refused')
  expect(begun.length).toBeLessThan(10)
})
