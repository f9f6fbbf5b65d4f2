import fc from 'fast-check'
import { type CaseCollection, collectionCase, collectionOf, itemsOf, queryOf } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { AccessPath } from '../layouts/layout.ts'
import type { Collection, Item } from '../model/collection.ts'
import type { FacetValue } from '../model/facet.ts'
import { facetValuesOf } from '../model/facet-values.ts'
import { parseQuery, type Query, type Selection, selects } from '../model/query.ts'
import { exactSize, readPrice } from './entry-size.ts'
import { declaredEstimates, type Estimates } from './estimates.ts'
import type { FilterNode, SourceNode } from './plan.ts'
import { isOneList, type PricedPath, pricePath, rootOf, weighPath } from './price.ts'

/** Estimates that count the items of a scope. */
function countedEstimates(collection: Collection, items: readonly Item[]): Estimates {
  const count = (selection: Selection): number =>
    items.filter((item) => selects(selection, item, collection.facets)).length
  const values = (facet: string): readonly FacetValue[] => [
    ...new Set(items.flatMap((item) => facetValuesOf(item, facet, collection.facets[facet]))),
  ]
  return {
    ...declaredEstimates(collection),
    basis: 'statistics',
    count,
    share: (selection) => (items.length === 0 ? 0 : count(selection) / items.length),
    values,
    seen: values,
  }
}

interface Case {
  readonly collection: CaseCollection
  readonly query: Query
  readonly items: readonly Item[]
  readonly estimates: Estimates
  readonly paths: readonly AccessPath[]
}

const cases = collectionCase().chain((made) =>
  fc.record({ items: itemsOf(made, 20), input: queryOf(made) }).map(({ items, input }): Case => {
    const collection = collectionOf(made)
    const query = parseQuery(collection, input)
    const own = items.filter(({ parent }) => parent === query.scope)
    const estimates = countedEstimates(collection, own)
    const { paths } = indexes().of(collection).accessPaths(query, estimates.values, made.maxSources)
    return { collection, query, items: own, estimates, paths }
  }),
)

test('a way is weighed by what its lists hold, and by what of it answers the query', () => {
  fc.assert(
    fc.property(cases, ({ collection, items, estimates, paths }) => {
      for (const path of paths) {
        const { lists, sources, counts, residual } = weighPath(path, estimates)
        const answering = (holds: Selection): number =>
          items.filter(
            (item) => selects(holds, item, collection.facets) && selects(path.residual, item, collection.facets),
          ).length
        // Each list is read, what is counted in it or not.
        expect(lists).toBe(path.lists)
        expect(residual).toBe(path.residual)
        for (const [i, { holds, part = 1 }] of lists.entries()) {
          const held = items.filter((item) => selects(holds, item, collection.facets)).length
          // Of a list that is spread, it is not known how many are in each partition.
          const counted = part === 1 ? held : undefined
          expect(counts[i]).toBe(counted)
          expect(sources[i]).toMatchObject({ trust: estimates.trust, ahead: 0, buffered: 0, remaining: counted })
          expect(sources[i]?.share).toBeCloseTo((part * answering(holds)) / Math.max(1, items.length), 9)
          const passing = held === 0 ? 1 : answering(holds) / held
          const isFiltered = Object.keys(residual).length > 0
          expect(sources[i]?.hitRate).toBeCloseTo(isFiltered ? Math.min(0.999, passing) : passing, 9)
        }
      }
    }),
  )
})

test('a way is priced by its reads and by the rounds that it may take more', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom(0, 1, 3), ({ query, estimates, paths }, roundPrice) => {
      for (const path of paths.map((path) => weighPath(path, estimates))) {
        const { estimated, score, items, text } = pricePath(path, query, roundPrice)
        expect(score).toBeCloseTo(estimated.rcu + roundPrice * (estimated.rounds - 1), 9)
        expect(estimated.requests).toBeCloseTo(items.length + estimated.rounds - 1, 9)
        expect(items).toHaveLength(path.lists.length)
        expect(text.split('[')[0]).toBe(path.lists[0]?.index ?? '')
        expect(isOneList(path)).toBe(path.lists.length === 1 && Object.keys(path.residual).length === 0)
      }
    }),
  )
})

test('the tree of a way has its lists with what they are read for', () => {
  fc.assert(
    fc.property(cases, ({ query, estimates, paths }) => {
      for (const path of paths.map((path) => weighPath(path, estimates))) {
        const priced: PricedPath = pricePath(path, query, 3)
        const root = rootOf(priced, query)
        if (path.lists.length === 0) {
          expect(root).toBeUndefined()
          continue
        }
        const { input } = root ?? expect.fail()
        expect(root).toMatchObject({ kind: 'limit', size: query.limit })
        expect(input.kind === 'merge').toBe(path.lists.length > 1)
        if (input.kind === 'merge') expect(input.order).toBe(query.order)
        if (input.kind === 'columns') expect.fail('a path has lists')
        const leaves: readonly (SourceNode | FilterNode)[] = input.kind === 'merge' ? input.inputs : [input]
        const isFiltered = Object.keys(path.residual).length > 0
        for (const [i, leaf] of leaves.entries()) {
          expect(leaf.kind).toBe(isFiltered ? 'filter' : 'source')
          if (leaf.kind === 'filter')
            expect(leaf).toMatchObject({ residual: path.residual, hitRate: priced.sources[i]?.hitRate })
          const source = leaf.kind === 'filter' ? leaf.input : leaf
          const { fetch, count = Number.POSITIVE_INFINITY, size } = source
          expect(source).toMatchObject({ list: path.lists[i], fetch: priced.items[i], count: path.counts[i] })
          expect(source.share).toBe(priced.sources[i]?.share)
          // No more is paid for than the list holds.
          expect(source.rcu).toBe(readPrice(Math.min(fetch, count), size))
          for (const part of [root, input, leaf, source]) expect(Object.isFrozen(part)).toBe(true)
        }
      }
    }),
  )
})

test('items that a filter discards are those that no value of both selections has', () => {
  // A sparse index holds ratings of which the query asks for one more, so each facet is narrowed twice.
  const sparse: AccessPath = {
    index: 'low',
    residual: { rating: [2, 3] },
    lists: [{ index: 'low', label: '42', partition: '42', prefix: '', holds: { rating: [1, 2] } }],
  }
  const asked: Selection[] = []
  const estimates: Estimates = {
    ...declaredEstimates(comments),
    share(selection) {
      asked.push(selection)
      return selection.rating?.length === 1 ? 0.1 : 0.4
    },
  }
  expect(weighPath(sparse, estimates).sources).toMatchObject([{ share: 0.1, hitRate: 0.25 }])
  expect(asked).toEqual([{ rating: [1, 2] }, { rating: [2] }])
})

describe('what lists gave lately', () => {
  const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: [1, 3] } })
  const [path] = indexes()
    .of(comments)
    .accessPaths(query, () => undefined, 32)
    .paths.filter(({ index }) => index === 'byLanguageAndRating')
  const weighed = weighPath(path ?? expect.fail(), {
    ...declaredEstimates(comments),
    size: () => exactSize(900),
  })

  test('moves the reads of a way to the lists that gave it', () => {
    const usual = pricePath(weighed, query, 3)
    const recent = [2, 60].map((given) => ({ given, passed: given, read: given, ahead: 0 }))
    const local = pricePath(weighed, query, 3, recent)
    expect(usual.items[0]).toBeGreaterThan(usual.items[1] ?? 0)
    expect(local.items[1]).toBeGreaterThan(local.items[0] ?? 0)
    expect(local.text).not.toBe('')
    // Whichever list runs dry asks once more.
    expect(usual.estimated.rounds).toBeGreaterThan(1)
    expect(usual.estimated.requests).toBeCloseTo(2 + usual.estimated.rounds - 1, 9)
    expect(local.path).toBe(weighed)
  })
})

test('where a function of the caller judges items, half of what is read is taken to come to the page', () => {
  const query = parseQuery(comments, { scope: '42', where: { language: 'en', rating: [1, 3] } })
  const { paths } = indexes()
    .of(comments)
    .accessPaths(query, () => undefined, 64)
  for (const path of paths) {
    const weighed = weighPath(path, declaredEstimates(comments))
    const [plain, judged] = [query, { ...query, having: true } as const].map((asked) => pricePath(weighed, asked, 3))
    const read = ({ items }: PricedPath): number => items.reduce((sum, each) => sum + each, 0)
    if (plain === undefined || judged === undefined) return expect.fail()
    expect(read(judged)).toBeGreaterThan(1.5 * read(plain))
    expect(judged.estimated.rcu).toBeGreaterThanOrEqual(plain.estimated.rcu)
    // What certainly comes next is not certain to be let through.
    const ahead = path.lists.map(() => ({ given: 5, passed: 5, read: 5, ahead: 4 }))
    const none = path.lists.map(() => ({ given: 5, passed: 5, read: 5, ahead: 0 }))
    expect(pricePath(weighed, { ...query, having: true }, 3, ahead).items).toEqual(
      pricePath(weighed, { ...query, having: true }, 3, none).items,
    )
  }
})
