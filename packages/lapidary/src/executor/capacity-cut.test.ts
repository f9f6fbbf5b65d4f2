import { expect, test } from 'vitest'
import { cutToCapacity } from './capacity-cut.ts'

test('sizes that fit are left alone', () => {
  expect(cutToCapacity([21, 8, 0], 5, 500)).toEqual([21, 8, 0])
})

test('sizes that do not fit are made smaller in proportion, down to one item of each list', () => {
  expect(cutToCapacity([101], 50, 40_000)).toEqual([10])
  expect(cutToCapacity([40, 20], 30, 4096)).toEqual([40, 20])
  expect(cutToCapacity([40, 20], 15, 4096)).toEqual([20, 10])
  expect(cutToCapacity([5, 3, 0], 1, 40_000)).toEqual([1, 1, 0])
})

test('a cap below the least charge can not be kept', () => {
  expect(cutToCapacity([5, 3, 2], 1, 500)).toBeUndefined()
})
