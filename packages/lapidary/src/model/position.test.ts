import fc from 'fast-check'
import { awkwardId } from 'lapidary-testing'
import { describe, expect, test } from 'vitest'
import { comment, comments, schemaOf } from '../../test/comments-fixture.ts'
import { positionText } from '../layouts/position-text.ts'
import { defineCollection, type Item } from './collection.ts'
import { LapidaryError } from './errors.ts'
import { compareBytes } from './key-text.ts'
import type { OrderType } from './order.ts'
import { comparePositions, orderValue, positionOf } from './position.ts'

const ordered = (type: OrderType) =>
  defineCollection({
    name: 'THING',
    schema: schemaOf<Item>(),
    id: 'id',
    scope: { name: 'PARENT', attribute: 'parent' },
    order: { attribute: 'at', type },
    facets: {},
  })

const number = { attribute: 'at', type: 'number' } as const
const time = { attribute: 'at', type: 'time' } as const
const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

test('a position is the order value and the escaped id', () => {
  expect(positionOf(comments, comment({ id: 'a/b' }))).toEqual({ order: '2020-11-09T12:00:00.123Z', id: 'a%2Fb' })
})

test('items with the same time and different ids have different positions', () => {
  fc.assert(
    fc.property(awkwardId(), awkwardId(), (a, b) => {
      const comparison = comparePositions(
        positionOf(comments, comment({ id: a })),
        positionOf(comments, comment({ id: b })),
      )
      return (comparison === 0) === (a === b)
    }),
    { numRuns: 300 },
  )
})

test('long ids that differ only at the end stay apart', () => {
  const long = '\u{1F600}'.repeat(127)
  expect(positionOf(comments, comment({ id: `${long}a` }))).not.toEqual(
    positionOf(comments, comment({ id: `${long}b` })),
  )
})

test('the id of a position has at most 64 bytes, whatever the id', () => {
  fc.assert(
    fc.property(awkwardId(), (id) => {
      expect(Buffer.byteLength(positionOf(comments, comment({ id })).id)).toBeLessThanOrEqual(64)
    }),
  )
})

test('positions sort by the order value first, whatever the ids', () => {
  const numbers = ordered('number')
  fc.assert(
    fc.property(finite, finite, awkwardId(), awkwardId(), (a, b, idA, idB) => {
      fc.pre(a !== b)
      const comparison = comparePositions(
        positionOf(numbers, { id: idA, at: a }),
        positionOf(numbers, { id: idB, at: b }),
      )
      expect(Math.sign(comparison)).toBe(a < b ? -1 : 1)
    }),
    { numRuns: 300 },
  )
})

test('string orders sort by their bytes, also where one text begins with the other', () => {
  const texts = ordered('string')
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(text, text, awkwardId(), awkwardId(), (a, b, idA, idB) => {
      fc.pre(a !== b)
      const comparison = comparePositions(positionOf(texts, { id: idA, at: a }), positionOf(texts, { id: idB, at: b }))
      expect(Math.sign(comparison)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 300 },
  )
})

test('numbers sort as numbers: negative, tiny, huge', () => {
  const ascending = [
    -Number.MAX_VALUE,
    -1e15,
    -10,
    -9,
    -1.5,
    -Number.MIN_VALUE,
    0,
    Number.MIN_VALUE,
    1e-10,
    1,
    1.5,
    9,
    10,
    1e15,
    Number.MAX_VALUE,
  ]
  const keys = ascending.map((value) => positionText(number, { order: orderValue(number, value), id: '1' }))
  expect([...keys].sort(compareBytes)).toEqual(keys)
  expect(orderValue(number, -0)).toBe(0)
})

describe('values that have no place in an order are unprocessable', () => {
  test.each([
    [time, '2020-11-09'],
    [time, '2020-11-09T12:00:00Z'],
    [time, '2020-11-09T12:00:00.123+01:00'],
    [time, '2020-02-30T00:00:00.000Z'],
    [time, '2020-01-01T24:00:00.000Z'],
    [time, '+020200-01-01T00:00:00.000Z'],
    [time, 1604923200123],
    [time, null],
    [time, undefined],
    [number, Number.NaN],
    [number, Number.POSITIVE_INFINITY],
    [number, '1'],
    [number, 10n],
    [{ attribute: 'at', type: 'string' } as const, 'x'.repeat(257)],
  ])('%o %s', (order, value) => {
    expect(() => orderValue(order, value)).toThrow(LapidaryError)
  })
})
