import fc from 'fast-check'
import { awkwardId, awkwardText } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { escapeComponent } from '../model/key-text.ts'
import type { Order } from '../model/order.ts'
import {
  type Bound,
  compareToBound,
  HIGHEST,
  idKey,
  isEmptyRange,
  type Position,
  type Range,
} from '../model/position.ts'
import type { List } from './layout.ts'
import { boundText, positionFrom, positionText } from './position-text.ts'
import { textKeyCondition } from './text-keys.ts'

const keys = { partitionKey: 'k', sortKey: 's' }
const text: Order = { attribute: 'at', type: 'string' }
const list = (prefix: string): List => ({ index: 'all', label: '42', partition: 'THING/42', prefix, holds: {} })
const condition = (prefix: string, range: Partial<Range> = {}, order = text) =>
  textKeyCondition(keys, order, list(prefix), { lower: undefined, upper: undefined, ...range })
const at = (order: string, id: string | undefined, side: Bound['side']): Bound => ({ order, id, side })

test('a whole partition needs no condition on the sort key', () => {
  expect(condition('')).toEqual({ expression: '#k = :k', names: { '#k': 'k' }, values: { ':k': { S: 'THING/42' } } })
})

test('one bound is one comparison, two are BETWEEN', () => {
  expect(condition('', { lower: at('b', undefined, 'before') }).expression).toBe('#k = :k AND #s > :l')
  expect(condition('', { upper: at('b', undefined, 'before') }).expression).toBe('#k = :k AND #s < :u')
  const both = { lower: at('a', '1', 'after'), upper: at('b', '1', 'before') }
  expect(condition('', both).expression).toBe('#k = :k AND #s BETWEEN :l AND :u')
})

test('the lowest bound of all is none: DynamoDB takes no empty key', () => {
  expect(condition('', { lower: at('', undefined, 'before') }).expression).toBe('#k = :k')
})

test('a sort prefix is read from its first to its last item', () => {
  expect(condition('A#')).toMatchObject({ values: { ':l': { S: 'A#' }, ':u': { S: 'A$' } } })
})

test('no item of a prefix reaches into the range of another', () => {
  fc.assert(
    fc.property(awkwardText(), awkwardText(), awkwardText(), (value, other, id) => {
      const { values } = condition(`${escapeComponent(value)}#`)
      const key = Buffer.from(`${escapeComponent(other)}#2020-01-01T00:00:00.000Z#${escapeComponent(id)}`)
      const within =
        Buffer.compare(key, Buffer.from(values[':l']?.S ?? '')) >= 0 &&
        Buffer.compare(key, Buffer.from(values[':u']?.S ?? '')) <= 0
      expect(within).toBe(value === other)
    }),
    { numRuns: 500 },
  )
})

const ORDERS: readonly { order: Order; value: fc.Arbitrary<string | number> }[] = [
  {
    order: { attribute: 'at', type: 'number' },
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
  },
  { order: text, value: fc.oneof(awkwardText(8), fc.string({ unit: 'binary', maxLength: 3 })) },
]

/** Ids that lie close together, and ids that are hardest on the bound just before a key. */
const id = fc
  .oneof(
    awkwardId(),
    fc.constantFrom(
      'a',
      'b',
      'ab',
      'a!',
      'a ',
      '!',
      '\uE000',
      '\uD7FF',
      HIGHEST,
      `a${HIGHEST}`,
      `${HIGHEST}a`,
      `a${HIGHEST}a`,
    ),
  )
  .chain((made) => fc.constantFrom(made, `${made}a`, `${made}${HIGHEST}`, made.slice(0, 1) || 'a'))
  .filter((made) => made.isWellFormed() && made !== '')

test.each(ORDERS)(
  'the text of a bound lies between the texts of what is below it and above it: $order.type',
  ({ order, value }) => {
    const position = fc.record<Position>({ order: value, id: id.map(idKey) })
    const sharing = fc.tuple(position, position, fc.boolean(), fc.boolean()).map(([a, b, sameOrder, sameId]) => ({
      item: { order: sameOrder ? b.order : a.order, id: sameId ? b.id : a.id },
      place: b,
    }))
    fc.assert(
      fc.property(
        sharing,
        fc.constantFrom<Bound['side']>('before', 'after'),
        fc.boolean(),
        ({ item, place }, side, whole) => {
          const bound: Bound = { order: place.order, id: whole ? undefined : place.id, side }
          const byText = Buffer.compare(Buffer.from(positionText(order, item)), Buffer.from(boundText(order, bound)))
          expect(Math.sign(byText)).toBe(Math.sign(compareToBound(item, bound)))
        },
      ),
      { numRuns: 3000 },
    )
  },
)

test.each(ORDERS)('the text of a position tells the position: $order.type', ({ order, value }) => {
  fc.assert(
    fc.property(value, awkwardId(), (made, of) => {
      const position = { order: made === 0 ? 0 : made, id: idKey(of) }
      expect(positionFrom(order, positionText(order, position))).toEqual(position)
    }),
    { numRuns: 500 },
  )
})

test('a range is empty exactly when no position can be in it', () => {
  const bound = fc.record<Bound>({
    order: fc.constantFrom('', 'a', 'b'),
    id: fc.constantFrom(undefined, 'x', 'y'),
    side: fc.constantFrom<Bound['side']>('before', 'after'),
  })
  // Other positions always lie between the orders and ids that bounds take.
  const positions = ['', 'A', 'a', 'aa', 'b', 'bb'].flatMap((order) =>
    ['w', 'x', 'xx', 'y', 'z'].map((of) => ({ order, id: of })),
  )
  fc.assert(
    fc.property(fc.option(bound, { nil: undefined }), fc.option(bound, { nil: undefined }), (lower, upper) => {
      const inside = positions.some(
        (each) =>
          (lower === undefined || compareToBound(each, lower) > 0) &&
          (upper === undefined || compareToBound(each, upper) < 0),
      )
      expect(isEmptyRange({ lower, upper })).toBe(!inside)
    }),
    { numRuns: 1000 },
  )
})
