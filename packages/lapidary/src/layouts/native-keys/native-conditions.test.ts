import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { decimalProblem, sortableDecimal } from '../../model/decimal.ts'
import { type Bound, compareToBound, isEmptyRange, type OrderValue, type Position } from '../../model/position.ts'
import type { KeyCondition } from '../layout.ts'
import { nativeConditions, type PositionKeys } from './native-conditions.ts'
import { compareKeyValues, DECIMAL_VALUES, PLAIN_VALUES } from './neighbours.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`native key conditions: FC_SEED=${seed}`)
const fixed = [{ name: 'scope', value: { S: '42' } }]
const keys: PositionKeys = { order: 'at', orderValues: PLAIN_VALUES, id: 'id', idOf: (key) => key }

const ids = fc.constantFrom('a', 'ab', 'b', '\u{10FFFF}', 'a\u0000', '\uE000', '\uD7FF')
const numbers = fc.constantFrom(-1e125, -1, -1e-130, 0, 1e-130, 2e-130, 1, 1 + Number.EPSILON, 1e125)
const texts = fc.constantFrom(
  'a',
  'a\u0000',
  'a\u0000\u0000',
  'aa',
  'b',
  'a\u{10FFFF}',
  'a\u{10FFFF}\u{10FFFF}',
  '\uE000',
  '\uD7FF',
)
const nines = '9'.repeat(38)
/** Some are next to each other. */
const decimals = fc
  .constantFrom(`-${nines}e88`, `-${nines}e-168`, '-1e-130', '0', '1e-130', `1.${'0'.repeat(36)}1e-130`, nines)
  .chain((text) =>
    fc.constantFrom(text, `1${'0'.repeat(38)}`, `${nines.slice(1)}8`, '1', `1.${'0'.repeat(36)}1`, `0.${nines}`),
  )
  .map(sortableDecimal)
const beyond = fc.constantFrom(1e-200, -1e-200, 1e200, -1e200)

function boundOf(order: fc.Arbitrary<OrderValue>): fc.Arbitrary<Bound | undefined> {
  const bound = fc.record({
    order,
    id: fc.option(ids, { nil: undefined }),
    side: fc.constantFrom<Bound['side']>('before', 'after'),
  })
  return fc.option(bound, { nil: undefined })
}

/** Answers as DynamoDB would for an item, by the comparisons of a condition. */
function holds(
  { expression, names, values }: KeyCondition,
  item: Record<string, AttributeValue>,
  areDecimals: boolean,
): boolean {
  return expression
    .replace(/BETWEEN (\S+) AND (\S+)/, 'BETWEEN $1,$2')
    .split(' AND ')
    .every((clause) => {
      const [name = '', operator, operands = ''] = clause.split(' ')
      const [a = 0, b = 0] = operands
        .split(',')
        .map((operand) =>
          compareKeyValues(plain(item[names[name] ?? ''], areDecimals), plain(values[operand], areDecimals)),
        )
      if (operator === 'BETWEEN') return a >= 0 && b <= 0
      return { '=': a === 0, '<': a < 0, '<=': a <= 0, '>': a > 0, '>=': a >= 0 }[operator ?? '']
    })
}

function plain(value: AttributeValue | undefined, areDecimals: boolean): OrderValue {
  if (value?.N !== undefined && areDecimals) {
    expect(decimalProblem(value.N)).toBeUndefined()
    return sortableDecimal(value.N)
  }
  if (value?.N !== undefined) {
    const number = Number(value.N)
    expect(
      number === 0 || (Math.abs(number) >= 1e-130 && Math.abs(number) < 1e126),
      `${value.N} is a number of DynamoDB`,
    ).toBe(true)
    return number
  }
  expect(value?.S, 'no key is compared with the empty text').not.toBe('')
  return value?.S ?? ''
}

test.each([
  ['numbers', numbers, fc.oneof(numbers, beyond)],
  ['texts', texts, fc.oneof(texts, fc.constant(''))],
  ['decimals', decimals, decimals],
] as [string, fc.Arbitrary<OrderValue>, fc.Arbitrary<OrderValue>][])(
  'conditions on %s hold what is between the bounds, once and in order',
  (kind, stored, bounds) => {
    const areDecimals = kind === 'decimals'
    const ofKind = areDecimals ? { ...keys, orderValues: DECIMAL_VALUES } : keys
    const positions = fc.array(fc.record({ order: stored, id: ids }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(
        positions,
        boundOf(fc.oneof(stored, bounds)),
        boundOf(fc.oneof(stored, bounds)),
        (all, lower, upper) => {
          const range = { lower, upper }
          fc.pre(!isEmptyRange(range))
          // A cursor's bound is at an item, so only bounds without an id may be beyond DynamoDB's numbers.
          for (const bound of [lower, upper]) fc.pre(bound?.id === undefined || !isBeyond(bound.order))
          const conditions = nativeConditions(fixed, ofKind, range)
          const itemOf = ({ order, id }: Position) => ({
            scope: { S: '42' },
            at: ofKind.orderValues.attributeOf(order),
            id: { S: id },
          })
          for (const position of all) {
            const isBetween =
              (lower === undefined || compareToBound(position, lower) > 0) &&
              (upper === undefined || compareToBound(position, upper) < 0)
            expect(conditions.filter((condition) => holds(condition, itemOf(position), areDecimals)).length).toBe(
              isBetween ? 1 : 0,
            )
          }
          const found = conditions.map((condition) =>
            all.filter((position) => holds(condition, itemOf(position), areDecimals)),
          )
          for (const [i, later] of found.entries()) {
            for (const position of found[i - 1] ?? [])
              expect(later.every(({ order }) => compareKeyValues(position.order, order) <= 0)).toBe(true)
          }
        },
      ),
      { seed, numRuns: 800 },
    )
  },
)

function isBeyond(value: OrderValue): boolean {
  return typeof value === 'number' && value !== 0 && (Math.abs(value) < 1e-130 || Math.abs(value) >= 1e126)
}

test('one condition does where no bound is among ties, two where one is', () => {
  const at = { order: 5, id: undefined, side: 'before' } as const
  const among = { order: 5, id: 'b', side: 'after' } as const
  const read = (range: Parameters<typeof nativeConditions>[2]) =>
    nativeConditions(fixed, keys, range).map(({ expression }) => expression)
  expect(read({ lower: undefined, upper: undefined })).toEqual(['#k0 = :k0'])
  expect(read({ lower: at, upper: undefined })).toEqual(['#k0 = :k0 AND #s >= :s0'])
  expect(read({ lower: at, upper: { ...at, order: 9 } })).toEqual(['#k0 = :k0 AND #s BETWEEN :s0 AND :s1'])
  expect(read({ lower: among, upper: undefined })).toEqual([
    '#k0 = :k0 AND #k1 = :k1 AND #s > :s0',
    '#k0 = :k0 AND #s > :s0',
  ])
  expect(read({ lower: undefined, upper: among })).toEqual([
    '#k0 = :k0 AND #s < :s0',
    '#k0 = :k0 AND #k1 = :k1 AND #s <= :s0',
  ])
})
