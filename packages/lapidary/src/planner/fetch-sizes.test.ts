import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type EntrySize, exactSize, readPrice } from './entry-size.ts'
import { fetchSizes, ROUND_PRICE_RCU, type SourceShare } from './fetch-sizes.ts'

const source = (given: Partial<SourceShare> = {}): SourceShare => ({
  share: 1,
  hitRate: 1,
  trust: 40,
  size: exactSize(500),
  ahead: 0,
  buffered: 0,
  remaining: undefined,
  ...given,
})

const wanted = fc.integer({ min: 1, max: 100 })
const sizeOf = fc
  .tuple(
    fc.constantFrom(1, 60, 500, 512, 3000, 5000, 100_000, 409_600),
    fc.constantFrom(0, 0.1, 0.25, 1),
    fc.constantFrom(0, 0.05),
  )
  .map(([mean, variation, doubt]): EntrySize => ({ mean, spread: mean * variation, doubt: mean * doubt }))
const rate = fc.double({ min: 0, max: 1, noNaN: true })
const trust = fc.constantFrom(1, 40, 1_000, Number.POSITIVE_INFINITY)
/** Shares that sum to 1, of 1 to 32 sources. */
const shares = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 32 }).map((weights) => {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => (sum === 0 ? 1 / weights.length : weight / sum))
})

test('a single list reads the page and one item more, to know what follows', () => {
  expect(fetchSizes([source()], 20, ROUND_PRICE_RCU)).toEqual({ items: [21], rcu: 1.5, blocked: 0 })
})

test('a list in which nothing is counted takes its half a unit and no round: the other one is read as if it were alone', () => {
  const { items, rcu, blocked } = fetchSizes([source({ share: 0 }), source()], 20, ROUND_PRICE_RCU)
  expect(items[1]).toBe(21)
  expect([rcu, blocked]).toEqual([2, 0])
})

test('every size is a whole number that a query takes, whatever the shares', () => {
  fc.assert(
    fc.property(shares, wanted, sizeOf, trust, rate, (made, items, size, trusted, hitRate) => {
      const sizes = fetchSizes(
        made.map((share) => source({ share, hitRate, size, trust: trusted })),
        items,
        ROUND_PRICE_RCU,
      )
      for (const items of sizes.items) expect(Number.isSafeInteger(items) && items >= 1).toBe(true)
      expect(sizes.blocked).toBeGreaterThanOrEqual(0)
      expect(sizes.blocked).toBeLessThanOrEqual(1)
    }),
  )
})

test('without a filter, no source reads more than the page can use', () => {
  fc.assert(
    fc.property(shares, wanted, sizeOf, trust, (made, page, size, trusted) => {
      const { items } = fetchSizes(
        made.map((share) => source({ share, size, trust: trusted })),
        page,
        ROUND_PRICE_RCU,
      )
      for (const read of items) expect(read).toBeLessThanOrEqual(page + 1)
    }),
  )
})

test('a list known to be empty is not read', () => {
  const { items, blocked } = fetchSizes([source({ remaining: 0, share: 0 }), source()], 20, ROUND_PRICE_RCU)
  expect(items[0]).toBe(0)
  expect(blocked).toBe(0)
})

test('a short list costs what it holds, also where a filter lets through next to nothing', () => {
  const size = exactSize(512)
  expect(fetchSizes([source({ remaining: 3, size })], 20, ROUND_PRICE_RCU)).toMatchObject({ rcu: 0.5, blocked: 0 })
  const filtered = fetchSizes([source({ remaining: 50, hitRate: 0.001, size })], 20, ROUND_PRICE_RCU)
  expect(filtered).toMatchObject({ rcu: 3.5, blocked: 0 })
})

test('lists that are read to their ends never block', () => {
  fc.assert(
    fc.property(shares, fc.integer({ min: 1, max: 8 }), (made, remaining) => {
      // At 512 bytes the first block holds all 8, so reading to the end costs nothing more.
      const sizes = fetchSizes(
        made.map((share) => source({ share, remaining, size: exactSize(512) })),
        20,
        ROUND_PRICE_RCU,
      )
      const end = sizes.items.every((items) => items >= remaining)
      if (end) expect(sizes.blocked).toBe(0)
    }),
  )
})

describe('the price of a round moves the sizes', () => {
  test('the dearer a round, the fewer of them, and never less is read', () => {
    fc.assert(
      fc.property(shares, wanted, sizeOf, (made, page, size) => {
        const sources = made.map((share) => source({ share, size }))
        const cheap = fetchSizes(sources, page, 0.5)
        const dear = fetchSizes(sources, page, 8)
        expect(dear.blocked).toBeLessThanOrEqual(cheap.blocked + 1e-12)
        for (const [i, items] of dear.items.entries()) expect(items).toBeGreaterThanOrEqual(cheap.items[i] ?? 0)
      }),
    )
  })

  test('a source with a larger share never reads less', () => {
    fc.assert(
      fc.property(wanted, fc.double({ min: 0, max: 0.5, noNaN: true }), (page, share) => {
        const { items } = fetchSizes([source({ share }), source({ share: 1 - share })], page, ROUND_PRICE_RCU)
        expect(items[1]).toBeGreaterThanOrEqual(items[0] ?? 0)
      }),
    )
  })
})

test('J-shaped ratings of 500 bytes: far below reading the whole page from each', () => {
  const ratings = [0.55, 0.2, 0.08, 0.05, 0.12].map((share) => source({ share }))
  const { items, rcu, blocked } = fetchSizes(ratings, 20, ROUND_PRICE_RCU)
  expect(rcu).toBeLessThan(5 * readPrice(20, exactSize(500)) * 0.6)
  expect(blocked).toBeLessThan(0.2)
  expect(Math.max(...items)).toBe(items[0])
})

test('sizes that vary leave room in the last block', () => {
  // Eight entries of 510 bytes just fill a block; where they vary, half of such reads begin another.
  const even = [0.5, 0.5].map((share) => source({ share, size: exactSize(510) }))
  const varied = even.map((each) => ({ ...each, size: { mean: 510, spread: 100, doubt: 0 } }))
  expect(fetchSizes(even, 10, 1).items).toEqual([8, 8])
  expect(fetchSizes(varied, 10, 1).items).toEqual([7, 7])
})

test('what is known to come next is read for certain, and only the rest is left to chance', () => {
  const unknown = fetchSizes([source({ share: 0.5 }), source({ share: 0.5 })], 20, ROUND_PRICE_RCU)
  const known = fetchSizes([source({ share: 0.5, ahead: 5 }), source({ share: 0.5, ahead: 3 })], 20, ROUND_PRICE_RCU)
  expect(known.blocked).toBeLessThan(unknown.blocked / 5)
  const uneven = fetchSizes([source({ share: 0.5, ahead: 9 }), source({ share: 0.5, ahead: 0 })], 20, ROUND_PRICE_RCU)
  expect(uneven.items[0]).toBeGreaterThan(uneven.items[1] ?? 0)
})

test('behind a filter of which all is certain, what does is read, and it never runs dry', () => {
  const sure = source({ share: 1, hitRate: 0.5, trust: Number.POSITIVE_INFINITY })
  const { items, blocked } = fetchSizes([sure], 20, ROUND_PRICE_RCU)
  expect(items[0]).toBeGreaterThanOrEqual(40)
  expect(blocked).toBeLessThan(0.5)
  // Nothing of the answer comes from it, whatever the filter lets through.
  const none = source({ share: 0, hitRate: 0.5, trust: Number.POSITIVE_INFINITY, buffered: 1 })
  expect(fetchSizes([none, source({ share: 1 })], 20, ROUND_PRICE_RCU)).toMatchObject({
    items: [0, expect.any(Number)],
  })
})
