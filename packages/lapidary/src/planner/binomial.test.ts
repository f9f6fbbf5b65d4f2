import fc from 'fast-check'
import { expect, test } from 'vitest'
import { binomialAtLeast } from './binomial.ts'

/** The tail in whole numbers: p = numerator/1000, C(n, j) exact, divided once at the end. */
function exactTail(k: number, n: number, numerator: number): number {
  const [p, q] = [BigInt(numerator), BigInt(1000 - numerator)]
  let choose = 1n
  let sum = 0n
  for (let j = 0; j <= n; j++) {
    if (j >= k) sum += choose * p ** BigInt(j) * q ** BigInt(n - j)
    choose = (choose * BigInt(n - j)) / BigInt(j + 1)
  }
  const scale = 10n ** 18n
  return Number((sum * scale) / 1000n ** BigInt(n)) / Number(scale)
}

test('is the exact tail of the binomial distribution', () => {
  const trials = fc.integer({ min: 0, max: 100 })
  fc.assert(
    fc.property(trials, fc.integer({ min: -2, max: 102 }), fc.integer({ min: 0, max: 1000 }), (n, k, numerator) => {
      expect(binomialAtLeast(k, n, numerator / 1000)).toBeCloseTo(exactTail(k, n, numerator), 9)
    }),
    { numRuns: 300 },
  )
})

test('the borders', () => {
  expect(binomialAtLeast(0, 10, 0)).toBe(1)
  expect(binomialAtLeast(1, 10, 0)).toBe(0)
  expect(binomialAtLeast(10, 10, 1)).toBe(1)
  expect(binomialAtLeast(11, 10, 1)).toBe(0)
})
