import { describe, expect, test } from 'vitest'
import { type Comment, comments, schemaOf } from '../../test/comments-fixture.ts'
import { type CollectionOptions, defineCollection, lookup } from './collection.ts'
import { anyOf, eachOf, type Facets, oneOf } from './facet.ts'
import { indexWarnings } from './index-warnings.ts'

const good = {
  name: 'COMMENT',
  schema: schemaOf<Comment>(),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
} as const

const attributes = {
  id: 'i',
  productId: 'p',
  language: 'l',
  rating: 'r',
  text: 'x',
  createdAt: 'c',
  version: 'v',
  updatedAt: 'u',
} as const

type Options = CollectionOptions<typeof good.schema, Facets>

/** Declares with parts that types would refuse, as JavaScript can. */
const declare = (changes: object) => () => defineCollection({ ...good, ...changes } as unknown as Options)
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'declaration_invalid', message: expect.stringMatching(message) })

test('a declaration is frozen, a bare order is a time, an item has 512 bytes', () => {
  const collection = defineCollection(good)
  expect(collection.order).toEqual({ attribute: 'createdAt', type: 'time' })
  expect(collection.itemBytes).toBe(512)
  for (const part of [collection, collection.facets, collection.order, collection.scope, collection.facets.rating])
    expect(Object.isFrozen(part)).toBe(true)
  expect(comments.version).toBe('version')
})

test('orders have names, the default one first: that of `order`, else the first', () => {
  const rating = { attribute: 'rating', type: 'number' } as const
  expect(Object.entries(defineCollection(good).orders)).toEqual([
    ['createdAt', { attribute: 'createdAt', type: 'time' }],
  ])
  const { order, orders } = defineCollection({ ...good, orders: { rating, newest: 'createdAt' } })
  expect([order.attribute, Object.keys(orders)]).toEqual(['createdAt', ['newest', 'rating']])
  const { order: _, facets: __, ...rest } = good
  const without = { ...rest, facets: { language: oneOf() } }
  expect(defineCollection({ ...without, orders: { rating, newest: 'createdAt' } }).order).toEqual(rating)
  // A declaration can be declared again.
  const again = defineCollection(defineCollection({ ...without, orders: { rating, newest: 'createdAt' } }) as never)
  expect([again.order, Object.keys(again.orders)]).toEqual([rating, ['rating', 'newest']])
})

describe('a declaration is refused', () => {
  test.each<[string, object, RegExp]>([
    ['a name in lower case', { name: 'comment' }, /use capitals/],
    ['a name with a separator', { name: 'A#B' }, /use capitals/],
    ['the order as a facet', { facets: { createdAt: oneOf() } }, /createdAt is the id, the scope or the order/],
    ['no order', { order: undefined }, /no order is declared; say order:/],
    ['no order among none', { order: undefined, orders: {} }, /no order is declared; say order:/],
    ['two orders by one attribute', { orders: { a: 'text', b: 'text' } }, /the orders a and b are both by text/],
    ['an order with a name of digits', { orders: { 1: 'text' } }, /"1" can't name an order/],
    ['an order of no type', { orders: { a: { attribute: 'text', type: 'date' } } }, /is "date"; it is one of time/],
    ['an order with the name of another', { orders: { createdAt: 'text' } }, /no other order can have that name/],
    [
      'the default order with two types',
      { orders: { newest: { attribute: 'createdAt', type: 'string' } } },
      /by createdAt is a time and as newest a string/,
    ],
    [
      'a default order that is optional',
      { order: { attribute: 'createdAt', type: 'time', optional: true } },
      /which every item is in; it can't be optional/,
    ],
    ['an index in an order that there is none of', { indexes: { odd: { order: 'text' } } }, /the orders are createdAt/],
    [
      'an order without an index',
      { orders: { text: { attribute: 'text', type: 'string' } }, indexes: { all: {} } },
      /no index is in the order text; declare one, as allByText: { order: "text" }/,
    ],
    [
      'the order of an index among its facets',
      {
        orders: { rating: { attribute: 'rating', type: 'number' } },
        indexes: { odd: { sort: ['rating'], order: 'rating' } },
      },
      /names rating, which ends every sort key/,
    ],
    [
      'an order that lists do not show',
      { orders: { text: { attribute: 'text', type: 'string' } }, attributes: { ...attributes, text: lookup('x') } },
      /only for a look-up/,
    ],
    ['an item of no bytes', { itemBytes: 0 }, /1 to 409600 bytes/],
    ['an item of NaN bytes', { itemBytes: Number.NaN }, /1 to 409600 bytes/],
    ['an index with a name too short', { indexes: { ab: {} } }, /can't name an index/],
    ['an index with a name that DynamoDB refuses', { indexes: { 'by/rating': {} } }, /can't name an index/],
    ['an index on what is no facet', { indexes: { byText: { partition: ['text'] } } }, /which is not a facet/],
    ['an index on an Object member', { indexes: { odd: { partition: ['toString'] } } }, /which is not a facet/],
    [
      'the order before a facet in an index',
      { indexes: { odd: { sort: ['createdAt', 'rating'] } } },
      /items of one rating would lie scattered over all of createdAt, and no range would hold them; leave it out/,
    ],
    ['the order in an index', { indexes: { odd: { sort: ['rating', 'createdAt'] } } }, /which ends every sort key/],
    ['a facet twice in an index', { indexes: { odd: { partition: ['rating'], sort: ['rating'] } } }, /twice/],
    ['a sparse index of nothing', { indexes: { odd: { only: { rating: [] } } } }, /empty set/],
    [
      'a sparse index of a value that the facet lacks',
      { indexes: { odd: { only: { rating: [6] } } } },
      /must be one of/,
    ],
    ['a short name that the table uses', { attributes: { ...attributes, text: 'k.x' } }, /which the table uses/],
    ['an empty short name', { attributes: { ...attributes, text: '' } }, /which DynamoDB does not take/],
    ['one short name twice', { attributes: { ...attributes, text: 'i' } }, /both stored as "i"/],
    ['a facet that lists do not show', { attributes: { ...attributes, rating: lookup('r') } }, /only for a look-up/],
    ['an id that lists do not show', { attributes: { ...attributes, id: lookup('i') } }, /only for a look-up/],
  ])('%s', (_, changes, message) => {
    expect(declare(changes)).toThrow(invalid(message))
  })

  test.each<[string, () => unknown, RegExp]>([
    ['a facet without values', () => anyOf([]), /has no values/],
    ['a type that there is none of', () => anyOf('integer' as never), /is no type; there are string, number, boolean/],
    ['a type of long numbers', () => oneOf('bigint' as never), /is no type.*order by it with type: 'decimal'/],
    ['a type of decimals', () => eachOf('decimal' as never), /is no type.*Store a longer number as a text/],
    ['a bigint', () => anyOf([1, 5n as never]), /anyOf.* has the bigint 5\. A facet has .* numbers up to 2\^53/],
    ['a number that was rounded', () => oneOf([2 ** 53]), /has the number 9007199254740992\. A facet has/],
    ['an object', () => oneOf([{} as never]), /has the object .*A facet has/],
    ['two values that read the same', () => anyOf([1, '1']), /read the same/],
    ['a frequency above 1', () => anyOf([1], { frequencies: { 1: 1.2 } }), /share from 0 to 1/],
    ['a frequency that is NaN', () => oneOf(['a'], { frequencies: { a: Number.NaN } }), /share from 0 to 1/],
  ])('%s', (_, declareFacet, message) => {
    expect(declareFacet).toThrow(invalid(message))
  })
})

test('a closed facet behind an open one in a sort key is warned of', () => {
  const facets = { language: oneOf(), rating: anyOf([1, 2]) }
  expect(indexWarnings({ facets, indexes: { odd: { sort: ['language', 'rating'] } } })).toEqual([
    expect.stringContaining('index odd has language before rating in its sort key'),
  ])
  expect(indexWarnings({ facets, indexes: { good: { partition: ['language'], sort: ['rating'] } } })).toEqual([])
  expect(indexWarnings({ facets, indexes: { good: { sort: ['rating', 'language'] } } })).toEqual([])
})
