import { expect, test } from 'vitest'
import { exactSize, readPrice } from '../planner/entry-size.ts'
import { cutToCapacity as cut, probeSizes } from './capacity-cut.ts'

const cutToCapacity = (sizes: readonly number[], maxCapacity: number, bytes: number) =>
  cut(sizes, maxCapacity, (items) => readPrice(items, exactSize(bytes)))

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

test('lists that were never read share the items of a block at first, with one each at least', () => {
  const ofOthers = { mean: 500, spread: 100, doubt: 100 / Math.sqrt(10) }
  const read = { mean: 500, spread: 100, doubt: 100 / Math.sqrt(12) }
  expect(probeSizes([21], [ofOthers])).toEqual([8])
  expect(probeSizes([21, 0, 13, 30], [ofOthers, ofOthers, ofOthers, read])).toEqual([4, 0, 4, 30])
  expect(probeSizes([5, 5], [{ ...ofOthers, mean: 9_000 }, read])).toEqual([1, 5])
  expect(probeSizes([21, 2], [exactSize(500), read])).toEqual([21, 2])
})
