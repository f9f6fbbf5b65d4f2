import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SeenIds } from './seen-ids.ts'

test('ids of equal items are numbered one after the other, whatever is between them', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), (items) => {
      const seen = new SeenIds()
      const counts: Record<string, number> = {}
      for (const item of items) {
        const before = counts[item] ?? 0
        expect(seen.addFirstNew((copy) => `${item}#${copy}`)).toBe(before)
        counts[item] = before + 1
      }
    }),
    // A filter has 32 MB.
    { numRuns: 20 },
  )
})

test('many equal items take few looks each', () => {
  const seen = new SeenIds()
  let looks = 0
  for (let i = 0; i < 5_000; i++) {
    seen.addFirstNew((copy) => {
      looks++
      return `x#${copy}`
    })
  }
  expect(looks).toBeLessThan(5_000 * 30)
})
