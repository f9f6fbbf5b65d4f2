import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../model/seeded-random.ts'
import { type EntrySize, exactSize, readPrice } from './entry-size.ts'
import { fetchSizes, type SourceShare } from './fetch-sizes.ts'

/** Chances of drawing 0 to n of a source's items from an urn: each item drawn goes back with another of its kind. */
function urn(n: number, share: number, trust: number): readonly number[] {
  let chances = [1]
  for (let i = 0; i < n; i++) {
    const next = new Array<number>(i + 2).fill(0)
    for (const [hits, chance] of chances.entries()) {
      const again = trust === Number.POSITIVE_INFINITY ? share : (share * trust + hits) / (trust + i)
      next[hits + 1] = (next[hits + 1] ?? 0) + chance * again
      next[hits] = (next[hits] ?? 0) + chance * (1 - again)
    }
    chances = next
  }
  return chances
}

interface Cost {
  readonly rcu: number
  readonly blocked: number
}

/** What a first read of so many items costs with its top-up, and the chance that it takes one, by adding up all cases. */
function costOf({ share, trust, size, ahead, buffered, remaining }: SourceShare, trials: number, items: number): Cost {
  if (remaining !== undefined && items >= remaining) return { rcu: readPrice(remaining, size), blocked: 0 }
  const held = buffered - ahead + items
  let [blocked, missing] = [0, 0]
  for (const [hits, chance] of urn(trials, share, trust).entries()) {
    if (hits < held) continue
    blocked += chance
    missing += chance * (hits - held + 1)
  }
  const topUp = Math.max(0.5, readPrice(blocked === 0 ? 1 : missing / blocked, size))
  return { rcu: readPrice(items, size) + blocked * topUp, blocked }
}

const size = fc
  .tuple(fc.constantFrom(60, 500, 1_500, 3_000, 9_000), fc.constantFrom(0, 0.25))
  .map(([mean, variation]): EntrySize => ({ mean, spread: mean * variation, doubt: 0 }))
const sourceOf = fc
  .record({
    share: fc.constantFrom(0, 0.01, 0.1, 0.3, 0.5, 0.9),
    trust: fc.constantFrom(1, 40, 1_000, Number.POSITIVE_INFINITY),
    size,
    buffered: fc.constantFrom(0, 0, 1, 3),
    ahead: fc.constantFrom(0, 0, 0, 2),
    remaining: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined, freq: 3 }),
  })
  .map((drawn): SourceShare => ({ ...drawn, hitRate: 1 }))
const sources = fc.array(sourceOf, { minLength: 1, maxLength: 4 })
const wanted = fc.integer({ min: 1, max: 30 })

const trialsOf = (of: readonly SourceShare[], page: number): number =>
  Math.max(
    0,
    (of.filter(({ share }) => share > 0).length <= 1 ? page : page - 1) - of.reduce((sum, { ahead }) => sum + ahead, 0),
  )

describe('without a filter', () => {
  test('reads cost, and run dry, as adding up all cases says', () => {
    fc.assert(
      fc.property(sources, wanted, (of, page) => {
        const { items, rcu, blocked } = fetchSizes(of, page, 3)
        const trials = trialsOf(of, page)
        const costs = of.map((source, i) =>
          source.remaining === 0 ? { rcu: 0, blocked: 0 } : costOf(source, trials, items[i] ?? 0),
        )
        expect(rcu).toBeCloseTo(
          costs.reduce((sum, cost) => sum + cost.rcu, 0),
          6,
        )
        expect(blocked).toBeCloseTo(
          Math.min(
            1,
            costs.reduce((sum, cost) => sum + cost.blocked, 0),
          ),
          6,
        )
      }),
      { numRuns: 100 },
    )
  })

  test('no larger read of a source costs less, its rounds priced in', () => {
    fc.assert(
      fc.property(sources, wanted, fc.constantFrom(0.1, 3, 20), (of, page, roundPrice) => {
        const { items } = fetchSizes(of, page, roundPrice)
        const trials = trialsOf(of, page)
        for (const [i, source] of of.entries()) {
          if (source.remaining === 0) continue
          const score = (read: number): number => {
            const { rcu, blocked } = costOf(source, trials, read)
            return rcu + blocked * roundPrice
          }
          const taken = score(items[i] ?? 0)
          const most = Math.max(1, trials + 1 - source.buffered + source.ahead)
          for (let read = (items[i] ?? 0) + 1; read <= most; read++) {
            // Among equals the largest is taken, but less than a thousandth is not worth reading for.
            expect(score(read)).toBeGreaterThan(taken - 0.0011)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  test('at least what a source gives on average is read, less what waits already', () => {
    fc.assert(
      fc.property(sources, wanted, (of, page) => {
        const { items } = fetchSizes(of, page, 3)
        const trials = trialsOf(of, page)
        for (const [i, { share, buffered, ahead, remaining }] of of.entries()) {
          if (remaining === 0) continue
          const mean = Math.min(trials * share - buffered + ahead, remaining ?? Number.POSITIVE_INFINITY)
          expect(items[i]).toBeGreaterThanOrEqual(Math.max(buffered === 0 ? 1 : 0, Math.floor(mean)))
        }
      }),
    )
  })

  test('a list that is read to its end is asked for one item more, which tells that it is the end', () => {
    const short: SourceShare = {
      ...{ share: 0.5, hitRate: 1, trust: 40, size: exactSize(500), ahead: 0, buffered: 0, remaining: 5 },
    }
    expect(fetchSizes([short, { ...short, remaining: undefined }], 20, 3).items[0]).toBeGreaterThanOrEqual(6)
    expect(fetchSizes([short], 20, 3)).toMatchObject({ blocked: 0, rcu: 0.5 })
  })
})

describe('behind a filter', () => {
  const random = seededRandom(1)
  /** How many of n are hits, where the chance of a hit is itself known only from so many items. */
  const drawn = (n: number, share: number, trust: number): number => {
    let hits = 0
    for (let i = 0; i < n; i++) if (random() < (share * trust + hits) / (trust + i)) hits += 1
    return hits
  }

  test.each([
    [0.5, 40, 20],
    [0.2, 40, 20],
    [0.8, 200, 50],
    [0.1, 1_000, 10],
  ])('a source runs dry as often as drawing says: hit rate %d, known from %d, for %d', (hitRate, trust, page) => {
    const source: SourceShare = {
      ...{ share: 1, hitRate, trust, size: exactSize(500), ahead: 0, buffered: 0, remaining: undefined },
    }
    for (const roundPrice of [0.3, 3]) {
      const { items, blocked } = fetchSizes([source], page, roundPrice)
      let dry = 0
      for (let i = 0; i < 3_000; i++) if (drawn(items[0] ?? 0, hitRate, trust) <= page) dry += 1
      // The numbers are taken to be normal, which for few is near, not exact.
      expect(Math.abs(dry / 3_000 - blocked)).toBeLessThan(0.06)
    }
  })

  test('what waits already need not be read', () => {
    const source: SourceShare = {
      ...{ share: 1, hitRate: 0.25, trust: 100, size: exactSize(500), ahead: 0, buffered: 0, remaining: undefined },
    }
    const [none, ten] = [0, 10].map((buffered) => fetchSizes([{ ...source, buffered }], 20, 3).items[0] ?? 0)
    expect((none ?? 0) - (ten ?? 0)).toBeGreaterThan(20)
  })

  test('a price without much chance of a top-up is that of the read itself', () => {
    const source: SourceShare = {
      ...{ share: 1, hitRate: 0.5, trust: 1_000, size: exactSize(100), ahead: 0, buffered: 0, remaining: undefined },
    }
    const { items, rcu, blocked } = fetchSizes([source], 10, 20)
    expect(blocked).toBeLessThan(0.01)
    expect(rcu).toBeCloseTo(readPrice(items[0] ?? 0, exactSize(100)), 1)
  })

  test('a top-up is priced by what it lacks: the fewer pass, the more it reads', () => {
    const source = (hitRate: number): SourceShare => ({
      ...{ share: 1, hitRate, trust: 40, size: exactSize(4_096), ahead: 0, buffered: 0, remaining: undefined },
    })
    // With rounds for nothing, each item costs half a unit whenever it is read, and a page of 20 takes 20 over the hit rate.
    for (const hitRate of [0.5, 0.1]) {
      const { rcu } = fetchSizes([source(hitRate)], 20, 0)
      expect(rcu).toBeGreaterThan((0.5 * 20) / hitRate)
      expect(rcu).toBeLessThan((0.5 * 20 * 1.5) / hitRate)
    }
  })
})
