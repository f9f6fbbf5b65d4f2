import { describe, expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { type Collection, defineCollection } from '../model/collection.ts'
import { parseQuery } from '../model/query.ts'
import { type EntrySize, exactSize } from '../planner/entry-size.ts'
import { declaredEstimates } from '../planner/estimates.ts'
import { fetchSizes } from '../planner/fetch-sizes.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import { planQuery } from '../planner/plan-query.ts'
import type { SourceReader } from './source-reader.ts'
import { topUp } from './top-up.ts'

function plan(size: EntrySize, roundPrice: number): Plan {
  const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: [1, 3] } })
  return planQuery(indexes().of(comments), query, { ...declaredEstimates(comments), size: () => size }, { roundPrice })
}

/** The comments with one index, so that ratings are filtered. */
const filtered = defineCollection({
  ...comments,
  indexes: { byLanguage: { partition: ['language'] } },
} as never) as unknown as Collection

/** Readers of a plan's sources after a round; the first has run dry. */
function readers(made: Plan, given: readonly number[], buffered: readonly number[]): readonly SourceReader[] {
  return planSources(made).map(({ source }, i) => {
    const items = (given[i] ?? 0) + (buffered[i] ?? 0)
    const actual = { rcu: 0.5, requests: 1, itemsRead: items, itemsReturned: given[i] ?? 0, bytes: 0, withheld: 0 }
    const state = {
      source,
      actual,
      used: given[i] ?? 0,
      leftOut: 0,
      passed: { entries: items, squares: 0 },
      buffered: buffered[i] ?? 0,
    }
    return { ...state, exhausted: false, blocking: (buffered[i] ?? 0) === 0 } as unknown as SourceReader
  })
}

test('a plan carries what entries weigh, its trust and its round price', () => {
  const made = plan(exactSize(700), 5)
  expect(planSources(made).map(({ source }) => source.size)).toEqual([exactSize(700), exactSize(700)])
  expect(made).toMatchObject({ roundPrice: 5, trust: expect.any(Number) })
})

test('a top-up goes by the sizes of the plan', () => {
  const sizes = [exactSize(200), exactSize(2_000)].map((size) => {
    const made = plan(size, 1)
    return topUp(made, readers(made, [8, 4], [0, 3]), 8)[0] ?? 0
  })
  // A block holds 20 entries of 200 bytes, so all that the page may take is free.
  expect(sizes[0]).toBe(8)
  expect(sizes[1]).toBeLessThan(8)
})

test('a top-up goes by the round price of the plan', () => {
  const sizes = [0.1, 20].map((roundPrice) => {
    const made = plan(exactSize(2_000), roundPrice)
    return topUp(made, readers(made, [8, 4], [0, 1]), 8)[0] ?? 0
  })
  expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0)
})

test('a top-up follows the mix that the page has shown', () => {
  const made = plan(exactSize(2_000), 1)
  const asDeclared = topUp(made, readers(made, [7, 5], [0, 1]), 8)[0] ?? 0
  const allOfOne = topUp(made, readers(made, [12, 0], [0, 1]), 8)[0] ?? 0
  expect(allOfOne).toBeGreaterThanOrEqual(asDeclared)
  const none = topUp(made, readers(made, [12, 0], [0, 0]), 8)
  expect(none[0]).toBeGreaterThan(none[1] ?? 0)
})

/** By Bayes: what the plan knew of so many items, and what the page has shown. */
const after = (known: number, trust: number, hits: number, seen: number): number =>
  (known * trust + hits) / (trust + seen)

test('sizes are those for the shares as they are after what the page has shown', () => {
  const made = plan({ mean: 700, spread: 100, doubt: 5 }, 3)
  const [first, second] = planSources(made).map(({ source }) => source.share) as [number, number]
  for (const [given, buffered, wanted] of [
    [[30, 10], [0, 2], 12],
    [[2, 1], [0, 0], 17],
    [[60, 60], [1, 0], 30],
  ] as const) {
    const [a, b] = given
    const sources = [
      after(first / (first + second), made.trust, a, a + b),
      after(second / (first + second), made.trust, b, a + b),
    ]
    const { items } = fetchSizes(
      sources.map((share, i) => ({
        ...{ share, hitRate: 1, trust: made.trust + a + b, size: { mean: 700, spread: 100, doubt: 5 }, ahead: 0 },
        ...{ buffered: buffered[i] ?? 0, remaining: undefined },
      })),
      wanted,
      3,
    )
    expect(topUp(made, readers(made, given, buffered), wanted)).toEqual(
      items.map((size, i) => (buffered[i] === 0 ? Math.max(1, size) : size)),
    )
  }
})

test('a list that has no more is not read, and the others share the rest', () => {
  const made = plan(exactSize(700), 3)
  const [first, second] = readers(made, [9, 3], [0, 0])
  if (first === undefined || second === undefined) return expect.fail()
  const ended = { ...second, exhausted: true, blocking: false } as unknown as SourceReader
  // Alone it gives all that is wanted, and one more, to know what follows.
  expect(topUp(made, [first, ended], 8)).toEqual([9, 0])
  expect(topUp(made, [{ ...first, exhausted: true, blocking: false } as unknown as SourceReader, second], 8)).toEqual([
    0, 9,
  ])
})

describe('behind a filter', () => {
  const query = parseQuery(filtered, { scope: '42', where: { language: 'en', rating: [1, 2, 3, 4] } })
  const estimates = declaredEstimates(filtered)
  const made = planQuery(indexes().of(filtered), query, estimates, { roundPrice: 3 })
  const [planned] = planSources(made)
  /** A top-up after so many of what was read passed. */
  const size = (passed: number, itemsRead: number, plan = made, leftOut = 0): number => {
    const { source } = planSources(plan)[0] ?? expect.fail()
    const actual = { rcu: 0.5, requests: 1, itemsRead, itemsReturned: passed - leftOut, bytes: 0, withheld: 0 }
    const state = {
      source,
      actual,
      used: passed - leftOut,
      leftOut,
      passed: { entries: passed, squares: 0 },
      buffered: 0,
      exhausted: false,
      blocking: true,
    }
    return topUp(plan, [state as unknown as SourceReader], 10)[0] ?? 0
  }

  test('more is read the less of it passed, and what was planned when that is what passed', () => {
    const hitRate = planned?.hitRate ?? 1
    expect(hitRate).toBeLessThan(0.6)
    const sizes = [8, 40, 80].map((passed) => size(passed, 80))
    expect(sizes[0]).toBeGreaterThan(sizes[1] ?? 0)
    expect(sizes[1]).toBeGreaterThan(sizes[2] ?? 0)
    expect(size(80 * hitRate, 80)).toBeGreaterThanOrEqual(10 / hitRate)
    expect(sizes[2]).toBeLessThan(10 / hitRate + 3)
  })

  test('a filter that was thought to let everything through is corrected too', () => {
    const open = planQuery(indexes().of(filtered), query, { ...estimates, share: () => 1 }, { roundPrice: 3 })
    expect(size(80, 80, open)).toBeLessThan(15)
    expect(size(0, 80, open)).toBeGreaterThan(20)
    // So is a plan that knows nothing of what has leftOut: one of ten that were read has not.
    expect(size(80, 80, open, 72)).toBeGreaterThan(30)
  })

  test('what a filter was planned to let through outweighs a few items, and what was not planned does not', () => {
    const list = parseQuery(filtered, { scope: '42', where: { language: 'en' } })
    const open = planQuery(indexes().of(filtered), list, estimates, { roundPrice: 3 })
    const hitRate = planned?.hitRate ?? 1
    expect(size(0, 4)).toBeLessThan((2 * 10) / hitRate)
    // Items of another kind lie between, which no plan knows of: one of ten is of this.
    expect(size(8, 80, open)).toBeGreaterThan(60)
    // A filter of which all has passed so far may still keep something back.
    expect(size(80, 80)).toBeGreaterThan(size(80, 80, open))
  })
})
