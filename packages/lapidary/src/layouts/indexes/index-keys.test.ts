import { describe, expect, test } from 'vitest'
import { comment, comments, schemaOf } from '../../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../../model/collection.ts'
import { anyOf, type Facets, oneOf } from '../../model/facet.ts'
import { facetIndexes, indexKeys } from './index-keys.ts'

const things = (facets: Facets, rest: object = {}) =>
  defineCollection({
    name: 'THING',
    schema: schemaOf<Item>(),
    id: 'id',
    scope: { name: 'PARENT', attribute: 'parent' },
    order: 'at',
    facets,
    ...rest,
  })

test('by default each subset of the facets has an index, named by its access pattern', () => {
  expect(facetIndexes(comments).map(({ name }) => name)).toEqual([
    'all',
    'byLanguage',
    'byRating',
    'byLanguageAndRating',
  ])
  expect(facetIndexes(things({}))).toHaveLength(1)
  expect(facetIndexes(things({ a: oneOf(), b: oneOf(), c: oneOf() }))).toHaveLength(8)
})

test('of four facets or more: none, each alone, and all together', () => {
  const names = facetIndexes(things({ a: oneOf(), b: oneOf(), c: oneOf(), d: oneOf() })).map(({ name }) => name)
  expect(names).toEqual(['all', 'byA', 'byB', 'byC', 'byD', 'byAAndBAndCAndD'])
})

test.each<[string, Facets]>([
  ['that DynamoDB refuses', { état: oneOf() }],
  ['twice', { a: oneOf(), A: oneOf() }],
])('facets that would name an index %s need declared indexes', (_, facets) => {
  expect(() => facetIndexes(things(facets))).toThrow(expect.objectContaining({ code: 'declaration_invalid' }))
})

test('an item has the keys of each list that it is in', () => {
  const position = '2020-11-09T12:00:00.123Z#100001'
  expect(indexKeys(comments, facetIndexes(comments), comment())).toEqual({
    k: 'COMMENT/42',
    'k.language': 'COMMENT/42/en',
    'k.rating': 'COMMENT/42/5',
    'k.language.rating': 'COMMENT/42/en/5',
    s: position,
  })
})

describe('declared indexes', () => {
  const item = { id: '1', parent: '4/2', at: '2020-01-01T00:00:00.000Z', status: 'A#', size: 3 }
  const facets = { status: oneOf(), size: anyOf([1, 2, 3]) }

  test('a sort prefix goes before the position', () => {
    const indexes = facetIndexes(things(facets, { indexes: { byStatus: { sort: ['status', 'size'] } } }))
    expect(indexKeys(things(facets), indexes, item)).toEqual({
      k: 'THING/4%2F2',
      's.status.size': 'A%23#3#2020-01-01T00:00:00.000Z#1',
    })
  })

  test('the lists of a hot scope lie over several partitions, under a key that no other index has', () => {
    const indexes = { hot: { partition: ['size'], shards: 3 }, plain: { partition: ['size'] } }
    const places = Array.from(
      { length: 30 },
      (_, i) =>
        indexKeys(things(facets), facetIndexes(things(facets, { indexes })), { ...item, id: `${i}` })['k.~s3.size'],
    )
    expect(new Set(places)).toEqual(new Set(['THING/4%2F2~0/3', 'THING/4%2F2~1/3', 'THING/4%2F2~2/3']))
    expect(indexKeys(things(facets), facetIndexes(things(facets, { indexes })), item)).toMatchObject({
      'k.size': 'THING/4%2F2/3',
    })
  })

  test('a sparse index has keys only of the items that it holds', () => {
    const indexes = facetIndexes(things(facets, { indexes: { small: { only: { size: [1, 2] } } } }))
    expect(indexKeys(things(facets), indexes, item)).toEqual({})
    expect(indexKeys(things(facets), indexes, { ...item, size: 1 })).toHaveProperty(['k@small'], 'THING/4%2F2')
  })

  test('short names that hold a dot share no key with two that do not', () => {
    const awkward = { 'a.b': oneOf(), a: oneOf(), b: oneOf() }
    const indexes = { one: { partition: ['a.b'] }, two: { partition: ['a', 'b'] } }
    const keys = facetIndexes(things(awkward, { indexes })).map(({ partitionKey }) => partitionKey)
    expect(new Set(keys).size).toBe(2)
  })
})

test('with short names, indexes hold what lists show', () => {
  const short = things(
    { size: oneOf() },
    { attributes: { id: 'i', parent: 'p', at: 'c', size: 'z', note: { name: 'n', shownIn: 'lookup' } } },
  )
  expect(facetIndexes(short)[0]?.include).toEqual(['i', 'p', 'c', 'z'])
  expect(facetIndexes(comments)[0]?.include).toBeUndefined()
})

test('a key that DynamoDB would refuse is refused with its bytes', () => {
  const long = { id: '\u{1F600}'.repeat(127), parent: '42', at: '2020-01-01T00:00:00.000Z' }
  const above = { around: { around: 'above' as const } }
  const raw = things({}, { idOrder: 'raw', indexes: above })
  expect(() => indexKeys(raw, facetIndexes(raw), long)).toThrow(
    expect.objectContaining({ code: 'unprocessable', message: expect.stringMatching(/have 1\d{3} bytes.*1024/) }),
  )
  const escaped = things({}, { indexes: above })
  expect(indexKeys(escaped, facetIndexes(escaped), long)).toHaveProperty(['s@around'])
})
