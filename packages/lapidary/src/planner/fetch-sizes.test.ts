import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fetchSizes, readCapacity, type SourceShare } from './fetch-sizes.ts'

const source = (given: Partial<SourceShare> = {}): SourceShare => ({
  share: 1,
  hitRate: 1,
  buffered: 0,
  remaining: undefined,
  ...given,
})

const wanted = fc.integer({ min: 1, max: 100 })
const itemBytes = fc.constantFrom(1, 60, 500, 512, 3000, 5000, 100_000, 409_600)
/** Shares that sum to 1, of 1 to 32 sources. */
const shares = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 32 }).map((weights) => {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => (sum === 0 ? 1 / weights.length : weight / sum))
})

test('a read costs half a unit for each 4 KB begun, and at least half', () => {
  expect(readCapacity(0, 500)).toBe(0)
  expect(readCapacity(1, 1)).toBe(0.5)
  expect(readCapacity(8, 512)).toBe(0.5)
  expect(readCapacity(9, 512)).toBe(1)
  expect(readCapacity(1, 409_600)).toBe(50)
})

test('a single list reads the page and one item more, to know what follows', () => {
  expect(fetchSizes([source()], 20, 500)).toEqual({ items: [21], rcu: 1.5, blocked: 0 })
})

test('every size is a whole number that a query takes, whatever the shares', () => {
  fc.assert(
    fc.property(shares, wanted, itemBytes, fc.double({ min: 0, max: 1, noNaN: true }), (made, size, bytes, hitRate) => {
      const sizes = fetchSizes(
        made.map((share) => source({ share, hitRate })),
        size,
        bytes,
      )
      for (const items of sizes.items) expect(Number.isSafeInteger(items) && items >= 1).toBe(true)
      expect(sizes.blocked).toBeGreaterThanOrEqual(0)
      expect(sizes.blocked).toBeLessThanOrEqual(1)
    }),
  )
})

test('without a filter, no source reads more than the page can use', () => {
  fc.assert(
    fc.property(shares, wanted, itemBytes, (made, size, bytes) => {
      const { items } = fetchSizes(
        made.map((share) => source({ share })),
        size,
        bytes,
      )
      for (const read of items) expect(read).toBeLessThanOrEqual(size + 1)
    }),
  )
})

test('a list known to be empty is not read', () => {
  const { items, blocked } = fetchSizes([source({ remaining: 0, share: 0 }), source()], 20, 500)
  expect(items[0]).toBe(0)
  expect(blocked).toBe(0)
})

test('a short list costs what it holds, also where a filter lets through next to nothing', () => {
  expect(fetchSizes([source({ remaining: 3 })], 20, 512)).toMatchObject({ rcu: 0.5, blocked: 0 })
  expect(fetchSizes([source({ remaining: 50, hitRate: 0.001 })], 20, 512)).toMatchObject({ rcu: 3.5, blocked: 0 })
})

test('lists that are read to their ends never block', () => {
  fc.assert(
    fc.property(shares, fc.integer({ min: 1, max: 8 }), (made, remaining) => {
      // At 512 bytes the first block holds all 8, so reading to the end costs nothing more.
      const sizes = fetchSizes(
        made.map((share) => source({ share, remaining })),
        20,
        512,
      )
      const end = sizes.items.every((items) => items >= remaining)
      if (end) expect(sizes.blocked).toBe(0)
    }),
  )
})

describe('the price of a round moves the sizes', () => {
  test('the dearer a round, the fewer of them, and never less is read', () => {
    fc.assert(
      fc.property(shares, wanted, itemBytes, (made, size, bytes) => {
        const sources = made.map((share) => source({ share }))
        const cheap = fetchSizes(sources, size, bytes, 0.5)
        const dear = fetchSizes(sources, size, bytes, 8)
        expect(dear.blocked).toBeLessThanOrEqual(cheap.blocked + 1e-12)
        for (const [i, items] of dear.items.entries()) expect(items).toBeGreaterThanOrEqual(cheap.items[i] ?? 0)
      }),
    )
  })

  test('a source with a larger share never reads less', () => {
    fc.assert(
      fc.property(wanted, itemBytes, fc.double({ min: 0, max: 0.5, noNaN: true }), (size, bytes, share) => {
        const { items } = fetchSizes([source({ share }), source({ share: 1 - share })], size, bytes)
        expect(items[1]).toBeGreaterThanOrEqual(items[0] ?? 0)
      }),
    )
  })
})

test('J-shaped ratings of 500 bytes: far below reading the whole page from each', () => {
  const ratings = [0.55, 0.2, 0.08, 0.05, 0.12].map((share) => source({ share }))
  const { items, rcu, blocked } = fetchSizes(ratings, 20, 500)
  expect(rcu).toBeLessThan(5 * readCapacity(20, 500) * 0.6)
  expect(blocked).toBeLessThan(0.2)
  expect(Math.max(...items)).toBe(items[0])
})
