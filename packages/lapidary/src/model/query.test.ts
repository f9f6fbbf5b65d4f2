import fc from 'fast-check'
import { collectionCase, collectionOf, queryOf } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { comments, schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from './collection.ts'
import type { InputIssue, LapidaryError } from './errors.ts'
import { anyOf, oneOf } from './facet.ts'
import { isEmptyQuery, parseQuery, type QueryInput } from './query.ts'

const parse = (input: Partial<QueryInput>) => parseQuery(comments, { scope: '42', ...input })

test('equal questions are equal objects', () => {
  const canonical = parse({ where: { language: 'en', rating: [4, 5] } })
  expect(parse({ where: { rating: [5, 4, 5], language: 'en' }, limit: 20, order: 'newest' })).toEqual(canonical)
  expect(JSON.stringify(parse({ where: { rating: [5, 4], language: 'en' } }))).toBe(JSON.stringify(canonical))
})

test('all values of a facet are no filter', () => {
  const { whole, ...query } = parse({ where: { rating: [5, 3, 1, 2, 4] } })
  expect(query).toEqual(parse({}))
  expect(whole).toEqual({ rating: [1, 2, 3, 4, 5] })
  expect(parse({ where: { language: undefined } })).toEqual(parse({}))
})

test('one value and a set of one are the same question', () => {
  expect(parse({ where: { rating: 4 } })).toEqual(parse({ where: { rating: [4] } }))
})

test('a query is frozen and takes 20 items, newest first, when not told otherwise', () => {
  const query = parse({ where: { rating: 4 } })
  expect(query).toMatchObject({ order: 'newest', limit: 20, from: undefined, to: undefined })
  for (const part of [query, query.where, query.where.rating]) expect(Object.isFrozen(part)).toBe(true)
})

test('parsing changes nothing about what a made-up query means to be', () => {
  const made = collectionCase().chain((collection) => fc.tuple(fc.constant(collection), queryOf(collection)))
  fc.assert(
    fc.property(made, ([collection, query]) => {
      const declared = collectionOf(collection)
      const shuffled = Object.fromEntries(Object.entries(query.where ?? {}).reverse())
      expect(parseQuery(declared, { ...query, where: shuffled })).toEqual(parseQuery(declared, query))
    }),
  )
})

test('a query is empty when a facet has no value left, or no time is left', () => {
  const from = '2020-01-01T00:00:00.000Z'
  const to = '2021-01-01T00:00:00.000Z'
  expect(isEmptyQuery(parse({ where: { rating: [] } }))).toBe(true)
  expect(isEmptyQuery(parse({ from, to: from }))).toBe(true)
  expect(isEmptyQuery(parse({ from: to, to: from }))).toBe(true)
  expect(isEmptyQuery(parse({ from, to }))).toBe(false)
})

test('nothing comes before the empty text', () => {
  const names = defineCollection({
    name: 'NAME',
    schema: schemaOf<Item>(),
    id: 'id',
    scope: { name: 'PARENT', attribute: 'parent' },
    order: { attribute: 'name', type: 'string' },
    facets: {},
  })
  expect(isEmptyQuery(parseQuery(names, { scope: '42', to: '' }))).toBe(true)
  expect(isEmptyQuery(parseQuery(names, { scope: '42', from: '' }))).toBe(false)
})

describe('what is refused names its path', () => {
  const many = Array.from({ length: 101 }, (_, i) => `tag${i}`)
  test.each<[string, Partial<QueryInput>, string]>([
    ['an unknown facet', { where: { colour: 'red' } }, 'colour'],
    ['an Object member as a facet', { where: { constructor: 'x' } as never }, 'constructor'],
    ['a value outside the facet', { where: { rating: 6 } }, 'rating'],
    ['a number as text that reads otherwise', { where: { rating: '5.0' as never } }, 'rating'],
    ['null', { where: { rating: null as never } }, 'rating'],
    ['two values of oneOf', { where: { language: ['en', 'de'] } }, 'language'],
    ['no value of oneOf', { where: { language: [] } }, 'language'],
    ['broken Unicode', { where: { language: '\uD83D' } }, 'language'],
    ['a value too long for a key', { where: { language: 'x'.repeat(257) } }, 'language'],
    ['no scope', { scope: '' }, 'productId'],
    ['a scope in broken Unicode', { scope: '\uD83D' }, 'productId'],
    ['a scope too long for a key', { scope: 'x'.repeat(513) }, 'productId'],
    ['a limit of 0', { limit: 0 }, 'limit'],
    ['a limit of 101', { limit: 101 }, 'limit'],
    ['half a limit', { limit: 1.5 }, 'limit'],
    ['another order', { order: 'best' as never }, 'order'],
    ['a day as a bound', { from: '2020-01-01' }, 'from'],
    ['a number as a bound of time', { to: 5 }, 'to'],
    ['more values than DynamoDB compares with', { where: { rating: many as never } }, 'rating'],
  ])('%s', (_, input, path) => {
    expect(() => parse(input)).toThrow(
      expect.objectContaining({ code: 'unprocessable', details: { errors: [expect.objectContaining({ path })] } }),
    )
  })

  test('everything wrong at once', () => {
    const paths = ['rating', 'colour', 'limit', 'order', 'from']
    try {
      parse({ where: { rating: 9, colour: 'red' }, limit: -1, order: 'x' as never, from: 'x' })
      expect.unreachable()
    } catch (error) {
      const { errors } = (error as LapidaryError).details as { errors: readonly InputIssue[] }
      expect(errors.map(({ path }) => path).sort()).toEqual(paths.sort())
    }
  })
})

describe('values of a filter have the type of the facet', () => {
  const things = defineCollection({
    name: 'THING',
    schema: schemaOf<Item>(),
    id: 'id',
    scope: { name: 'PARENT', attribute: 'parent' },
    order: 'at',
    facets: { size: anyOf('number'), colour: oneOf(), sold: oneOf('boolean'), rating: anyOf([1, 2, '3']) },
  })
  const where = (given: Readonly<Record<string, unknown>>) =>
    parseQuery(things, { scope: '1', where: given as never }).where

  test('numbers, booleans and texts of open facets', () => {
    expect(where({ size: [10, 9, -1] }).size).toEqual([-1, 9, 10])
    expect(where({ sold: true }).sold).toEqual([true])
    expect(where({ colour: 'red' }).colour).toEqual(['red'])
  })

  test('a text becomes what it reads as, so that every plan compares the same value', () => {
    expect(where({ size: ['10', 9, '-1'] }).size).toEqual([-1, 9, 10])
    expect(where({ sold: 'false' }).sold).toEqual([false])
    expect(where({ rating: ['1', '3'] }).rating).toEqual([1, '3'])
    expect(where({ colour: '10' }).colour).toEqual(['10'])
  })

  test.each([
    ['size', '05'],
    ['size', '5.0'],
    ['size', ''],
    ['size', '1e400'],
    ['size', Number.NaN],
    ['size', -0],
    ['size', true],
    ['sold', 'yes'],
    ['sold', 1],
    ['colour', 10],
    ['rating', '4'],
    ['rating', 3],
  ])('%s refuses %o, and names it', (facet, value) => {
    expect(() => where({ [facet]: value })).toThrow(
      expect.objectContaining({
        code: 'unprocessable',
        details: { errors: [expect.objectContaining({ path: facet })] },
      }),
    )
  })
})
