import { expect, test } from 'vitest'
import { pairs, WHOLE } from './draws.ts'

test.each([
  [
    ['a', 'b', 'c'],
    [1, 2],
  ],
  [['a'], [1, 2, 3]],
  [
    ['a', 'b'],
    [1, 2],
  ],
])('pairs of %j and %j hold each value of both', (first, second) => {
  const made = pairs<string, number>(first, second)
  expect([...new Set(made.map(([a]) => a))].toSorted()).toEqual(first)
  expect([...new Set(made.map(([, b]) => b))].toSorted()).toEqual(second)
  expect(made).toHaveLength(WHOLE ? first.length * second.length : Math.max(first.length, second.length))
})
