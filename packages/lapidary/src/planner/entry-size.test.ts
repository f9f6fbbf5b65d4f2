import fc from 'fast-check'
import { chosenSeed } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../model/seeded-random.ts'
import { type EntrySize, exactSize, readPrice } from './entry-size.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

test('a read costs half a unit for each 4 KB begun, and at least half', () => {
  expect(readPrice(0, exactSize(500))).toBe(0)
  expect(readPrice(1, exactSize(1))).toBe(0.5)
  expect(readPrice(8, exactSize(512))).toBe(0.5)
  expect(readPrice(9, exactSize(512))).toBe(1)
  expect(readPrice(1, exactSize(409_600))).toBe(50)
})

test('a read that just fills a block on average begins another half of the time', () => {
  expect(readPrice(8, { mean: 512, spread: 40, doubt: 0 })).toBeCloseTo(0.75, 2)
})

test('a read that hardly varies and just fills a block mostly begins no other, being whole bytes', () => {
  // It is 4,096 bytes give or take 0.7, and begins another block from 4,097 on.
  const price = readPrice(8, { mean: 512, spread: 0.25, doubt: 0 })
  expect(price).toBeGreaterThan(0.5)
  expect(price).toBeLessThan(0.7)
  expect(readPrice(1, exactSize(4_096.2))).toBe(1)
})

test('however little is known of sizes, a read costs half a unit at least', () => {
  const size = fc.record({
    mean: fc.integer({ min: 1, max: 5_000 }),
    spread: fc.integer({ min: 0, max: 20_000 }),
    doubt: fc.integer({ min: 0, max: 3_000 }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), size, (items, drawn) => {
      expect(readPrice(items, drawn)).toBeGreaterThanOrEqual(0.5)
    }),
    { seed },
  )
})

/** The mean price of reads drawn at random, size by size. */
function drawnPrice(items: number, { mean, spread, doubt }: EntrySize, skewed: boolean, random: () => number): number {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const sigma = Math.sqrt(Math.log(1 + (spread / mean) ** 2))
  const draws = 4_000
  let sum = 0
  for (let i = 0; i < draws; i++) {
    const centre = mean + doubt * normal()
    let bytes = 0
    for (let j = 0; j < items; j++) {
      bytes += skewed ? centre * Math.exp(sigma * normal() - sigma ** 2 / 2) : Math.max(0, centre + spread * normal())
    }
    sum += 0.5 * Math.max(1, Math.ceil(Math.round(bytes) / 4096))
  }
  return sum / draws
}

/** The mean price of sums that are normal, of which what is below nothing costs the least there is. */
function drawnSum(mean: number, deviation: number, random: () => number): number {
  const draws = 20_000
  let sum = 0
  for (let i = 0; i < draws; i++) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    sum += 0.5 * Math.max(1, Math.ceil((mean + deviation * normal) / 4096))
  }
  return sum / draws
}

describe('the expected price is what drawing sizes at random comes to', () => {
  const size = fc
    .tuple(fc.integer({ min: 50, max: 5_000 }), fc.double({ min: 0, max: 0.9, noNaN: true }), fc.constantFrom(0, 0.05))
    .map(([mean, variation, doubt]) => ({ mean, spread: mean * variation, doubt: mean * doubt }))
  test.each([
    ['normal', false, 0.3],
    ['log-normal', true, 0.9],
  ])('%s sizes', (_, skewed, most) => {
    const random = seededRandom(seed)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), size, (items, drawn) => {
        const spread = Math.min(drawn.spread, most * drawn.mean)
        const price = readPrice(items, { ...drawn, spread })
        const expected = drawnPrice(items, { ...drawn, spread }, skewed, random)
        // A few draws more or less, and for few skewed sizes the normal distribution is not all the truth.
        expect(Math.abs(price - expected)).toBeLessThan(0.03 + (skewed ? 0.08 : 0) + 0.01 * expected)
      }),
      { seed, numRuns: 40 },
    )
  })
})

test('a read of very many entries that are hardly known is priced without counting its blocks', () => {
  const unknown = { mean: 500, spread: 300, doubt: 400 }
  const least = (0.5 * 1e12 * unknown.mean) / 4096
  expect(readPrice(1e12, unknown)).toBeGreaterThan(least)
  expect(readPrice(1e12, unknown)).toBeLessThan(1.1 * least)
})

test.each([2_000, 20_000, 200_000])('wide sums cost what drawing says: %i bytes', (mean) => {
  const random = seededRandom(seed)
  const size = { mean, spread: 9_000, doubt: 0 }
  expect(Math.abs(readPrice(1, size) - drawnSum(mean, 9_000, random))).toBeLessThan(0.1)
})

test('the dearer the more items, whatever the spread', () => {
  const variation = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 9_000 }),
      variation,
      (items, mean, part) => {
        const size = { mean, spread: part * mean, doubt: 0 }
        expect(readPrice(items + 1, size)).toBeGreaterThanOrEqual(readPrice(items, size) - 1e-6)
      },
    ),
    { seed },
  )
})
