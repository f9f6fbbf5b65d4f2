import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pagerParts } from './page-numbers.ts'

test.each([
  [1, 1, [1]],
  [1, 2, [1, 2]],
  [1, 54, [1, 2, 'gap', 54]],
  [3, 54, [1, 2, 3, 4, 'gap', 54]],
  [4, 7, [1, 2, 3, 4, 5, 6, 7]],
  [6, 54, [1, 'gap', 5, 6, 7, 'gap', 54]],
  [54, 54, [1, 'gap', 53, 54]],
  [60, 54, [1, 'gap', 54]],
])('page %i of %i', (number, count, parts) => {
  expect(pagerParts(number, count)).toEqual(parts)
})

test('numbers ascend from the first to the last, at most seven parts, and a gap leaves out two or more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 2000 }), (number, count) => {
      const parts = pagerParts(number, count)
      expect(parts.length).toBeLessThanOrEqual(7)
      expect([parts[0], parts.at(-1)]).toEqual([1, count])
      parts.forEach((part, i) => {
        const [before, after] = [parts[i - 1], parts[i + 1]]
        if (part === 'gap') expect(Number(after) - Number(before)).toBeGreaterThan(2)
        else if (typeof before === 'number') expect(part).toBe(before + 1)
      })
    }),
  )
})
