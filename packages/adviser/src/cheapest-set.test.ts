import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cheapestSet, type MemberPrice } from './cheapest-set.ts'

const ENDLESS = { isOver: () => false, breathe: async () => {} }

const cost = fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constantFrom(0, 1, 50))
const job = fc.oneof({ weight: 4, arbitrary: cost }, { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) })

/** Members, and how much each adds to the price of the others, which the bound does not know. */
const choices = fc
  .record({ members: fc.integer({ min: 1, max: 7 }), jobs: fc.integer({ min: 1, max: 4 }) })
  .chain(({ members, jobs }) =>
    fc.record({
      members: fc.array(
        fc.record<MemberPrice>({ standing: cost, jobs: fc.array(job, { minLength: jobs, maxLength: jobs }) }),
        { minLength: members, maxLength: members },
      ),
      base: cost,
      growth: fc.double({ min: 0, max: 0.2, noNaN: true }),
      most: fc.integer({ min: 1, max: 7 }),
    }),
  )

test('what is found costs what the best of all sets costs, though members make each other dearer', async () => {
  await fc.assert(
    fc.asyncProperty(choices, async ({ members, base, growth, most }) => {
      const priceOf = (taken: readonly number[]) => {
        const jobs = (members[0]?.jobs ?? []).map((_, j) =>
          Math.min(Number.POSITIVE_INFINITY, ...taken.map((i) => members[i]?.jobs[j] ?? 0)),
        )
        const own = [...taken.map((i) => members[i]?.standing ?? 0), ...jobs].reduce((sum, part) => sum + part, 0)
        const price = base + own * (1 + growth * taken.length)
        return Number.isFinite(price) ? { price, priced: undefined } : undefined
      }
      const all = Array.from({ length: 2 ** members.length }, (_, set) =>
        members.map((_member, i) => i).filter((i) => (set >> i) % 2 === 1),
      )
      const prices = all.filter((taken) => taken.length <= most).flatMap((taken) => priceOf(taken)?.price ?? [])
      const found = await cheapestSet({ members, base, most, priceOf: async (taken) => priceOf(taken), time: ENDLESS })
      expect(found.proven).toBe(true)
      if (prices.length === 0) expect(found.priced).toBeUndefined()
      else {
        const best = Math.min(...prices)
        expect(found.priced?.price).toBeGreaterThanOrEqual(best)
        expect(found.priced?.price).toBeLessThanOrEqual(best * 1.0011 + 1e-6)
        expect(priceOf(found.members)?.price).toBe(found.priced?.price)
        expect(found.members.length).toBeLessThanOrEqual(most)
      }
    }),
    { numRuns: 500 },
  )
})

test('a search whose time is over says so, and has a set that no single change makes cheaper', async () => {
  // Sets differ only in how much dearer their members make each other, so the search can't skip a branch.
  const members = Array.from({ length: 20 }, (_, i): MemberPrice => ({ standing: 0.01, jobs: [1 + (i % 3) / 10] }))
  const priceOf = (taken: readonly number[]): number => 20 + 10 * Math.abs(taken.length - 7)
  let turns = 0
  const time = { isOver: () => turns > 5_000, breathe: async () => void turns++ }
  const found = await cheapestSet({
    ...{ members, base: 0, most: 20, time },
    priceOf: async (taken) => ({ price: priceOf(taken), priced: taken }),
  })
  expect(found.proven).toBe(false)
  expect(found.members).toHaveLength(7)
  expect(found.priced?.price).toBe(20)
  expect(turns).toBeLessThan(5_100)
})
