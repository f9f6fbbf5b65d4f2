import { expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { parseQuery } from '../model/query.ts'
import { type EntrySize, exactSize } from '../planner/entry-size.ts'
import { declaredEstimates } from '../planner/estimates.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import { planQuery } from '../planner/plan-query.ts'
import type { SourceReader } from './source-reader.ts'
import { topUp } from './top-up.ts'

function plan(size: EntrySize, roundPrice: number): Plan {
  const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: [1, 3] } })
  return planQuery(indexes().of(comments), query, { ...declaredEstimates(comments), size: () => size }, { roundPrice })
}

/** Readers of a plan's sources after a round; the first has run dry. */
function readers(made: Plan, given: readonly number[], buffered: readonly number[]): readonly SourceReader[] {
  return planSources(made).map(({ source }, i) => {
    const items = (given[i] ?? 0) + (buffered[i] ?? 0)
    const actual = { rcu: 0.5, requests: 1, itemsRead: items, itemsReturned: given[i] ?? 0, bytes: 0 }
    const state = { source, actual, passed: { entries: items, squares: 0 }, buffered: buffered[i] ?? 0 }
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
