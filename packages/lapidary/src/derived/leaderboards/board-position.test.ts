import fc from 'fast-check'
import { chosenSeed } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { AWKWARD_DECIMALS, unitsOf } from '../../../test/decimal-units.ts'
import { positionFrom, positionText } from '../../layouts/position-text.ts'
import { compareBytes } from '../../model/key-text.ts'
import { BOARD_ORDER, placeFrom, placeText, scopeIdKey, type Tallied } from './board-position.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`FC_SEED=${seed}`)

const tallied: fc.Arbitrary<Tallied> = fc.record({
  count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 10 ** 11 })),
  sum: fc.constantFrom(...AWKWARD_DECIMALS, '1', '12', '123', '-1', '-1.5', '-1.25', '-12', '1.5'),
})
const scopes = fc.constantFrom('a', 'a b', 'b', '~', '%')
const bySum = { of: 'sum', atLeast: 1 } as const

test('places by a sum sort the highest first, then by the count, then by the scope', () => {
  fc.assert(
    fc.property(tallied, tallied, scopes, scopes, (a, b, one, other) => {
      const textOf = (of: Tallied, scope: string): string =>
        positionText(BOARD_ORDER, { order: placeText(bySum, of) ?? expect.fail(), id: scopeIdKey(scope) })
      const difference = unitsOf(b.sum) - unitsOf(a.sum)
      const expected =
        Number(difference > 0n) - Number(difference < 0n) || b.count - a.count || compareBytes(one, other)
      expect(Math.sign(compareBytes(textOf(a, one), textOf(b, other)))).toBe(Math.sign(expected))
      const { order } = positionFrom(BOARD_ORDER, textOf(a, one))
      expect(placeFrom(order)).toEqual({ count: a.count, value: a.sum })
    }),
    { seed, numRuns: 2_000 },
  )
})

test('a scope has a place by an average from so many items on, and none by anything without an item', () => {
  const average = { of: 'average', atLeast: 10 } as const
  expect(placeText(average, { count: 9, sum: '45' })).toBeUndefined()
  expect(placeFrom(placeText(average, { count: 10, sum: '45' }) ?? '')).toEqual({ count: 10, value: '4.5' })
  for (const by of [undefined, bySum, average]) {
    expect(placeText(by, { count: 0, sum: '5' })).toBeUndefined()
    expect(placeText(by, { count: -2, sum: '-5' })).toBeUndefined()
  }
  expect(placeFrom(placeText(undefined, { count: 7, sum: '0' }) ?? '')).toEqual({ count: 7, value: undefined })
})
