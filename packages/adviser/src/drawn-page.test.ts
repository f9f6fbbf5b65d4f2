import {
  anyOf,
  type Collection,
  defineCollection,
  type FacetValue,
  type Item,
  indexes,
  oneOf,
  type Plan,
  parseQuery,
} from 'lapidary'
import { exactSize, LOCAL_TRUST, planQuery, readPrice } from 'lapidary/internal'
import { expect, test } from 'vitest'
import { schemaOf } from '../../lapidary/test/comments-fixture.ts'
import { meanPageRcu } from './drawn-page.ts'
import type { Population } from './population.ts'

const things = defineCollection({
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
  facets: { half: oneOf(['a', 'b']), tenth: anyOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) },
  indexes: { all: {}, byHalf: { partition: ['half'] } },
}) as unknown as Collection
const BYTES = 250

const population: Pick<Population, 'share' | 'values'> = {
  values: (facet) => things.facets[facet]?.values,
  share: (selection) =>
    Object.entries(selection).reduce(
      (share, [facet, values]) => share * (values.length / (things.facets[facet]?.values?.length ?? 1)),
      1,
    ),
}

function planOf(where: Record<string, FacetValue | FacetValue[]>, limit: number): Plan {
  return planQuery(indexes().of(things), parseQuery(things, { scope: '1', where, limit }), {
    ...{ basis: 'declared', trust: LOCAL_TRUST, bytes: () => undefined, sizeClasses: () => undefined },
    ...{ size: () => exactSize(BYTES), share: population.share, count: () => undefined },
    values: (facet) => things.facets[facet]?.values,
    seen: (facet) => things.facets[facet]?.values,
  })
}

test('a list that has more than a page reads costs what the planner expects of it', () => {
  const plan = planOf({ half: 'a' }, 20)
  expect(meanPageRcu(plan, 10_000, population)).toBe(plan.estimated.rcu)
})

test('a list that ends within the page costs what it holds, and an empty one half a unit', () => {
  const all = planOf({}, 100)
  expect(all.estimated.rcu).toBe(readPrice(101, exactSize(BYTES)))
  expect(meanPageRcu(all, 40, population)).toBe(readPrice(40, exactSize(BYTES)))
  expect(meanPageRcu(planOf({ half: 'a' }, 20), 0.5, population)).toBe(0.5)
})

test('what a filter lets through of a short list is read for to its end, and of a long one for as long as a page lacks', () => {
  const plan = planOf({ tenth: 3 }, 20)
  expect(plan.text).toContain('all[1] FILTER tenth IN (3)')
  // A read to the end takes any number of queries, and costs at most half a unit for each above what the list weighs.
  const short = meanPageRcu(plan, 100, population)
  expect(short).toBeGreaterThanOrEqual(readPrice(100, exactSize(BYTES)))
  expect(short).toBeLessThanOrEqual(readPrice(100, exactSize(BYTES)) + 0.5)
  // About one of ten items is in the list, so 21 of them are among some 210.
  const long = meanPageRcu(plan, 100_000, population)
  expect(long).toBeGreaterThan(readPrice(210, exactSize(BYTES)))
  expect(long).toBeLessThan(1.3 * readPrice(210, exactSize(BYTES)))
})

test('the same plan costs the same each time', () => {
  const plan = planOf({ half: 'b', tenth: [1, 2] }, 10)
  expect(meanPageRcu(plan, 300, population)).toBe(meanPageRcu(plan, 300, population))
})
