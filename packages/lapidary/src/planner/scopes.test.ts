import { expect, test } from 'vitest'
import { comments, schemaOf } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { List } from '../layouts/layout.ts'
import { defineCollection } from '../model/collection.ts'
import { anyOf, type FacetValue } from '../model/facet.ts'
import { parseQuery } from '../model/query.ts'
import { declaredEstimates, type Estimates, estimatesOf } from './estimates.ts'
import { accessPathsOf, type ScopeEstimates, scopesEstimates } from './scopes.ts'

const layout = indexes().of(comments)
const query = parseQuery(comments, { scope: ['a', 'b', 'c'], where: { language: 'en', rating: [4, 5] } })
const { alsoIn, ...first } = query
const none = (): undefined => undefined

test('each way reads the lists of all scopes, each list of its scope', () => {
  expect(alsoIn).toEqual(['b', 'c'])
  const { paths, refused } = accessPathsOf(layout, query, none, 64)
  const single = layout.accessPaths({ ...first, scope: 'b' }, none, 64)
  expect(paths.map(({ index }) => index)).toEqual(single.paths.map(({ index }) => index))
  expect(refused).toEqual(single.refused)
  for (const [i, { lists, residual }] of paths.entries()) {
    const ofOne = single.paths[i]?.lists ?? []
    expect(residual).toEqual(single.paths[i]?.residual)
    expect(lists.map(({ scope }) => scope)).toEqual(['a', 'b', 'c'].flatMap((scope) => ofOne.map(() => scope)))
    expect(lists.filter(({ scope }) => scope === 'b')).toEqual(ofOne.map((list) => ({ ...list, scope: 'b' })))
  }
})

test('a query of one scope has the ways of its layout', () => {
  expect(accessPathsOf(layout, first, none, 64)).toEqual(layout.accessPaths(first, none, 64))
})

test('a way of more lists than are merged is refused, with how many it takes', () => {
  const { paths } = accessPathsOf(layout, query, none, 64)
  const widest = Math.max(...paths.map(({ lists }) => lists.length))
  const [wide] = paths.filter(({ lists }) => lists.length === widest)
  const capped = accessPathsOf(layout, query, none, widest - 1)
  expect(capped.paths).toEqual(paths.filter(({ lists }) => lists.length < widest))
  expect(capped.refused).toContainEqual({
    index: wide?.index,
    refusal: { kind: 'sources', needed: widest, most: widest - 1, scopes: true },
  })
  expect(accessPathsOf(layout, query, none, widest)).toEqual({ paths, refused: [] })
})

test('an index is refused once, for the fewest lists that it takes, and only where no way of it is possible', () => {
  const rated = defineCollection({
    ...{ name: 'RATED', schema: schemaOf<{ id: string; of: string; at: string; stars: number }>(), id: 'id' },
    ...{ scope: { name: 'OF', attribute: 'of' }, order: 'at', facets: { stars: anyOf([1, 2, 3]) } },
    ...{ orders: { stars: { attribute: 'stars', type: 'number' } }, indexes: { byStars: { order: 'stars' } } },
  })
  const asked = parseQuery(rated, { scope: ['a', 'b', 'c'], by: 'stars', where: { stars: [1, 3] } })
  const read = (most: number) => {
    const { paths, refused } = accessPathsOf(indexes().of(rated), asked, none, most)
    return { lists: paths.map(({ lists }) => lists.length), refused }
  }
  expect(read(6)).toEqual({ lists: [6, 3], refused: [] })
  expect(read(5)).toEqual({ lists: [3], refused: [] })
  const refusal = { kind: 'sources', needed: 3, most: 2, scopes: true }
  expect(read(2)).toEqual({ lists: [], refused: [{ index: 'byStars', refusal }] })
})

/** Estimates by which every selection has the same share of its scope. */
function sharing(share: number, more: Partial<Estimates> = {}): Estimates {
  return { ...declaredEstimates(comments), share: () => share, ...more }
}
const listIn = (scope: string): List => ({
  ...{ index: 'i', label: scope, partition: scope, prefix: '', holds: {}, scope },
})
const shares = (scopes: readonly ScopeEstimates[]): readonly number[] => {
  const estimates = scopesEstimates(scopes)
  return scopes.map(({ scope }) => estimatesOf(listIn(scope), estimates).share({}))
}

test.each<[string, readonly (number | undefined)[], readonly number[]]>([
  ['counted', [30, 10], [0.75, 0.25]],
  ['not read, as many as the others on average', [30, undefined, 10], [0.5, 1 / 3, 1 / 6]],
  ['none read', [undefined, undefined], [0.5, 0.5]],
  ['all empty', [0, 0], [0.5, 0.5]],
  ['empty beside one that is not read', [0, undefined], [0.5, 0.5]],
  ['one of them empty', [0, 5], [0, 1]],
])('a list has the share of its scope among all: %s', (_, items, expected) => {
  const scopes = items.map((each, i) => ({ scope: `s${i}`, estimates: sharing(0.5), items: each }))
  for (const [i, share] of shares(scopes).entries()) expect(share).toBeCloseTo(0.5 * (expected[i] ?? Number.NaN), 9)
})

test('what else is estimated goes by the scope of which least is known, and nothing is counted of all together', () => {
  const known = sharing(0.5, { basis: 'statistics', trust: 7, count: () => 3 })
  const unknown = sharing(0.5, { basis: 'declared', trust: 9 })
  const both = scopesEstimates([
    { scope: 'a', estimates: known, items: 3 },
    { scope: 'b', estimates: unknown, items: undefined },
  ])
  expect([both.basis, both.trust, both.count({})]).toEqual(['declared', 9, undefined])
  expect(both.inScope?.('a')?.count({})).toBe(3)
  expect(both.inScope?.('elsewhere')).toBeUndefined()
  expect(scopesEstimates([{ scope: 'a', estimates: known, items: 3 }])).toMatchObject({ basis: 'statistics', trust: 7 })
})

test('a facet has the values of all scopes, where they are known of each', () => {
  const having = (values: readonly FacetValue[] | undefined): Estimates =>
    sharing(1, { values: () => values, seen: () => values })
  const estimatesWith = (...each: (readonly FacetValue[] | undefined)[]): Estimates =>
    scopesEstimates(each.map((values, i) => ({ scope: `s${i}`, estimates: having(values), items: 1 })))
  const all = estimatesWith(['en', 'de'], ['de', 'fr'])
  expect([all.values('language'), all.seen('language')]).toEqual([
    ['en', 'de', 'fr'],
    ['en', 'de', 'fr'],
  ])
  const some = estimatesWith(['en'], undefined)
  expect([some.values('language'), some.seen('language')]).toEqual([undefined, ['en']])
  expect(estimatesWith(undefined, undefined).seen('language')).toBeUndefined()
})

test('the same estimates of the same scopes are one, so that plans made on them are remembered', () => {
  const [one, other] = [sharing(0.5), sharing(0.5)]
  const of = (items: number, second = one) =>
    scopesEstimates([
      { scope: 'a', estimates: one, items },
      { scope: 'b', estimates: second, items: 1 },
    ])
  const made = of(1)
  expect(of(1)).toBe(made)
  expect(of(2)).not.toBe(made)
  expect(of(1)).toBe(made)
  expect(of(1, other)).not.toBe(made)
})
