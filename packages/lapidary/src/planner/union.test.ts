import fc from 'fast-check'
import { type CaseCollection, collectionCase, collectionOf, itemsOf, whereOf } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { List } from '../layouts/layout.ts'
import type { Item } from '../model/collection.ts'
import type { Condition } from '../model/condition.ts'
import type { FacetValue } from '../model/facet.ts'
import { facetValuesOf } from '../model/facet-values.ts'
import { answers, type Filter, isEmptyQuery, meets, parseQuery, type Query, selects } from '../model/query.ts'
import { declaredEstimates, type Estimates } from './estimates.ts'
import { planSources } from './plan.ts'
import { planQuery } from './plan-query.ts'
import { type WeighedPath, weighPath } from './price.ts'
import { queriesOfUnions, unionOf } from './union.ts'

interface Case {
  readonly collection: CaseCollection
  readonly query: Query
  readonly items: readonly Item[]
  readonly estimates: Estimates
  readonly picks: readonly number[]
}

const MOST = 32

/** Lists of one value of a facet each are many, so that unions are too. */
const cases = collectionCase().chain((made) =>
  fc
    .record({
      items: itemsOf(made, 20),
      where: whereOf(made, 2),
      picks: fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
    })
    .map(({ items, where, picks }): Case => {
      const keyed = Object.keys(made.facets).map((facet, i) => [`by${i}.`, { partition: [facet] }])
      const collection = collectionOf({ ...made, rank: undefined, indexes: { all: {}, ...Object.fromEntries(keyed) } })
      const own = items.filter(({ parent }) => parent === '42')
      const values = (facet: string): readonly FacetValue[] => [
        ...new Set(own.flatMap((item) => facetValuesOf(item, facet, collection.facets[facet]))),
      ]
      const estimates = { ...declaredEstimates(collection), values, seen: values }
      return { collection, query: parseQuery(collection, { scope: '42', where }), items: own, estimates, picks }
    }),
)

/** One list with all that its items have to meet. */
interface Read {
  readonly list: List
  readonly residual: Filter
  readonly also: Condition | undefined
}

function assertAnswer({ collection, query, items }: Case, reads: readonly Read[]): void {
  const { facets } = collection
  const given = items.filter((item) =>
    reads.some(
      ({ list, residual, also }) =>
        selects(list.holds, item, facets) &&
        selects(residual, item, facets) &&
        selects(query.whole ?? {}, item, facets) &&
        (also === undefined || meets(facets, also, item)),
    ),
  )
  expect(given).toEqual(items.filter((item) => answers(collection, query, item)))
}

function readsOf({ lists, residual, also }: WeighedPath): readonly Read[] {
  return lists.map((list, i) => ({ list, residual, also: also[i] }))
}

test('each way gives the items that meet the condition, and no other', () => {
  fc.assert(
    fc.property(cases, (made) => {
      const { collection, query, estimates, picks } = made
      if (isEmptyQuery(query)) return
      const layout = indexes().of(collection)
      const waysOf = (asked: Query): readonly WeighedPath[] =>
        layout.accessPaths(asked, estimates.values, MOST).paths.map((path) => weighPath(path, estimates, asked.also))
      for (const way of waysOf(query)) assertAnswer(made, readsOf(way))
      for (const queries of queriesOfUnions(query, MOST)) {
        const ways = queries.flatMap((asked, i) => {
          const all = waysOf(asked)
          return all[(picks[i % picks.length] ?? 0) % all.length] ?? []
        })
        const union = unionOf(ways, query.also as Condition)
        if (union !== undefined) assertAnswer(made, readsOf(union))
      }
    }),
    { numRuns: 400 },
  )
})

test('the way that is taken gives them, whatever a round costs', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(0, 0.5, 10), (made, roundPrice) => {
      const plan = planQuery(indexes().of(made.collection), made.query, made.estimates, {
        maxSources: MOST,
        roundPrice,
      })
      assertAnswer(
        made,
        planSources(plan).map(({ source: { list }, residual, also }) => ({ list, residual, also })),
      )
    }),
    { numRuns: 400 },
  )
})
