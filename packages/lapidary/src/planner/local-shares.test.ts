import fc from 'fast-check'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { exactSize } from './entry-size.ts'
import { LOCAL_TRUST } from './estimates.ts'
import type { SourceShare } from './fetch-sizes.ts'
import { believedShare, believedShares, localSources } from './local-shares.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const source = (share: number, hitRate = 1): SourceShare => ({
  ...{ share, hitRate, trust: LOCAL_TRUST, size: exactSize(500), ahead: 0, buffered: 0, remaining: undefined },
})
const recent = (given: number, ahead = 0) => ({ given, passed: given, read: given, ahead })

test('shares sum to 1, before and after, and lie between what was known and what was seen', () => {
  const parts = fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 50 })), { minLength: 1 })
  fc.assert(
    fc.property(parts, fc.constantFrom(1, LOCAL_TRUST, 1_000), (drawn, trust) => {
      const [priors, given] = [drawn.map(([prior]) => prior), drawn.map(([, items]) => items)]
      const sum = (of: readonly number[]): number => of.reduce((total, each) => total + each, 0)
      const shares = believedShares(priors, given, trust)
      expect(sum(shares)).toBeCloseTo(1, 9)
      for (const [i, share] of shares.entries()) {
        const [prior, seen] = [(priors[i] ?? 0) / sum(priors), sum(given) === 0 ? share : (given[i] ?? 0) / sum(given)]
        expect(share).toBeGreaterThanOrEqual(Math.min(prior, seen) - 1e-9)
        expect(share).toBeLessThanOrEqual(Math.max(prior, seen) + 1e-9)
      }
    }),
    { seed },
  )
})

test('sources of which nothing is known share evenly, until something was seen', () => {
  expect(believedShares([0, 0, 0, 0], [0, 0, 0, 0], 40)).toEqual([0.25, 0.25, 0.25, 0.25])
  expect(believedShares([0, 0], [40, 0], 40)).toEqual([0.75, 0.25])
})

test('as much seen as the prior is worth has half of the say', () => {
  expect(believedShare(0.2, 40, 40, 40)).toBeCloseTo(0.6, 9)
  expect(believedShare(0.2, Number.POSITIVE_INFINITY, 40, 40)).toBe(0.2)
})

test('a burst is followed, and trusted the more the more was seen of it', () => {
  const [rare, usual] = localSources([source(0.1), source(0.9)], [recent(30), recent(2)], 20)
  expect(rare?.share).toBeGreaterThan(0.4)
  expect((rare?.share ?? 0) + (usual?.share ?? 0)).toBeCloseTo(1, 9)
  expect(rare?.trust).toBe(LOCAL_TRUST + 32)
})

test('what certainly comes next is passed on, unless it is the whole page', () => {
  const sources = [source(0.5), source(0.5)]
  expect(localSources(sources, [recent(9, 4), recent(9, 1)], 20).map(({ ahead }) => ahead)).toEqual([4, 1])
  expect(localSources(sources, [recent(9, 4), recent(9, 1)], 5).map(({ ahead }) => ahead)).toEqual([0, 0])
})

test('a filter follows what passed lately', () => {
  const [filtered] = localSources([source(1, 0.8)], [{ given: 20, passed: 20, read: 80, ahead: 3 }], 20)
  expect(filtered?.hitRate).toBeCloseTo((40 * 0.8 + 20) / 120, 9)
  expect(filtered?.ahead).toBe(0)
})

test('where a list was not read lately, the whole lists are all that is known', () => {
  const [rare, usual] = localSources([source(0.2), source(0.6)], [recent(20), undefined], 20)
  expect(rare?.share).toBeCloseTo(0.25, 9)
  expect(usual?.share).toBeCloseTo(0.75, 9)
  expect(usual?.trust).toBe(LOCAL_TRUST)
})
