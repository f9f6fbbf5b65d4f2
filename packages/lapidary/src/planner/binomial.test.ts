import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareTail } from './binomial.ts'

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

const trials = fc.integer({ min: 0, max: 100 })

test('of a share that is certain, the exact tail of the binomial distribution', () => {
  fc.assert(
    fc.property(trials, fc.integer({ min: 0, max: 1000 }), (n, numerator) => {
      const tail = shareTail(n, numerator / 1000, Number.POSITIVE_INFINITY)
      expect(tail).toHaveLength(n + 1)
      for (let k = 0; k <= n; k += 7) expect(tail[k]).toBeCloseTo(exactTail(k, n, numerator), 9)
    }),
    { numRuns: 100 },
  )
})

test('of a share known from few items, the tail of an urn from which they were drawn', () => {
  // Polya: each item drawn goes back with another of its kind, which is the beta-binomial distribution.
  const urn = (n: number, own: number, other: number): readonly number[] => {
    let chances = [1]
    for (let i = 0; i < n; i++) {
      const next = new Array<number>(i + 2).fill(0)
      for (const [hits, chance] of chances.entries()) {
        const again = (own + hits) / (own + other + i)
        next[hits + 1] = (next[hits + 1] ?? 0) + chance * again
        next[hits] = (next[hits] ?? 0) + chance * (1 - again)
      }
      chances = next
    }
    return chances
  }
  const part = fc.integer({ min: 1, max: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), part, part, (n, own, other) => {
      const chances = urn(n, own, other)
      const tail = shareTail(n, own / (own + other), own + other)
      for (let k = 0; k <= n; k++) {
        const expected = chances.slice(k).reduce((sum, chance) => sum + chance, 0)
        expect(tail[k]).toBeCloseTo(expected, 9)
      }
    }),
  )
})

test('a share of which less is known has the heavier tail, and the same mean', () => {
  const [certain, doubtful] = [shareTail(20, 0.3, Number.POSITIVE_INFINITY), shareTail(20, 0.3, 20)]
  const mean = (tail: readonly number[]): number => tail.slice(1).reduce((sum, chance) => sum + chance, 0)
  expect(doubtful[12]).toBeGreaterThan(certain[12] ?? 1)
  expect(mean(doubtful)).toBeCloseTo(6, 9)
  expect(mean(certain)).toBeCloseTo(6, 9)
})

test('the borders', () => {
  expect(shareTail(10, 0, 40).slice(0, 2)).toEqual([1, 0])
  expect(shareTail(10, 1, 40)[10]).toBe(1)
  expect(shareTail(0, 0.5, 40)).toEqual([1])
})
