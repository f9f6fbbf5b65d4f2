import { expect, test } from 'vitest'
import { comments, schemaOf } from '../../test/comments-fixture.ts'
import { defineCollection, type Item } from '../model/collection.ts'
import { anyOf, eachOf, type Facets, oneOf } from '../model/facet.ts'
import { declaredEstimates } from './estimates.ts'

const estimates = (facets: Facets) =>
  declaredEstimates(
    defineCollection({
      name: 'THING',
      schema: schemaOf<Item>(),
      id: 'id',
      scope: { name: 'PARENT', attribute: 'parent' },
      order: 'at',
      facets,
    }),
  )

test('declared frequencies are shares, and facets are independent', () => {
  const { share, basis, count } = declaredEstimates(comments)
  expect(basis).toBe('declared')
  expect(count({})).toBeUndefined()
  expect(share({})).toBe(1)
  expect(share({ rating: [4, 5] })).toBeCloseTo(0.75)
  expect(share({ rating: [5], language: ['en'] })).toBeCloseTo(0.55 * 0.25)
})

test('without frequencies, values of a closed facet are equally frequent', () => {
  const { share, basis } = estimates({ size: anyOf(['S', 'M', 'L', 'XL']) })
  expect(basis).toBe('default')
  expect(share({ size: ['S', 'L'] })).toBeCloseTo(0.5)
})

test('values that are not named share what is left', () => {
  const { share } = estimates({ size: anyOf(['S', 'M', 'L'], { frequencies: { M: 0.5 } }) })
  expect(share({ size: ['S'] })).toBeCloseTo(0.25)
})

test('a value of a facet that has too many to count is rare, to have none is not', () => {
  const { share } = estimates({ assignee: oneOf('string', { counted: false, optional: true }) })
  expect(share({ assignee: ['ann'] })).toBeCloseTo(0.01)
  expect(share({ assignee: [null] })).toBeCloseTo(0.25)
})

test('a share is never above 1, nor below 0', () => {
  const { share } = estimates({ size: anyOf(['S', 'M'], { frequencies: { S: 1, M: 1 } }), colour: anyOf() })
  expect(share({ size: ['S', 'M'] })).toBe(1)
  expect(share({ colour: ['a', 'b', 'c', 'd', 'e', 'f'] })).toBe(1)
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'the value %s is as frequent as any other',
  (value) => {
    const { share } = estimates({ colour: oneOf(), tag: oneOf(undefined, { frequencies: { red: 0.5 } }) })
    expect(share({ colour: [value] })).toBe(0.25)
    expect(share({ tag: [value] })).toBe(0.25)
  },
)

test('the declaration knows no counts, and what entries weigh only as it says', () => {
  const { bytes, count, size, trust, values } = estimates({ size: anyOf(['S', 'M']), colour: oneOf() })
  expect([bytes({}), count({ size: ['S'] })]).toEqual([undefined, undefined])
  expect([values('size'), values('colour'), values('other')]).toEqual([['S', 'M'], undefined, undefined])
  expect(size({} as never)).toEqual({ mean: 512, spread: 0, doubt: 0 })
  expect(trust).toBe(40)
})

test('a selection by what is no facet is as large as without it', () => {
  expect(estimates({ size: anyOf(['S', 'M']) }).share({ size: ['S'], other: ['x'] })).toBeCloseTo(0.5)
})

test('values of an open facet share what the named ones leave, where that is less than a quarter', () => {
  const { share } = estimates({ tag: oneOf(undefined, { frequencies: { red: 0.9, rare: 0 } }) })
  expect(share({ tag: ['red'] })).toBeCloseTo(0.9)
  expect(share({ tag: ['rare'] })).toBe(0)
  expect(share({ tag: ['blue'] })).toBeCloseTo(0.1)
  const { share: none } = estimates({ tag: oneOf(undefined, { frequencies: { red: 0.9, blue: 0.9 } }) })
  expect(none({ tag: ['green'] })).toBe(0)
})

test('a collection has one set of estimates, so that plans made on them are remembered', () => {
  expect(declaredEstimates(comments)).toBe(declaredEstimates(comments))
  expect(estimates({})).not.toBe(estimates({}))
})

test('an item may have several values of a facet, so that their shares do not add up', () => {
  const { share } = estimates({ size: eachOf(['S', 'M', 'L'], { frequencies: { S: 0.5, M: 0.2 } }) })
  expect(share({ size: ['S'] })).toBeCloseTo(0.5)
  expect(share({ size: ['S', 'M'] })).toBeCloseTo(1 - 0.5 * 0.8)
  expect(share({ size: [] })).toBe(0)
})
