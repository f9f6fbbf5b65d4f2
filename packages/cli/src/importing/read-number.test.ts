import { expect, test } from 'vitest'
import { readNumber } from './read-number.ts'

test.each([
  ['5', 5],
  [' 4.5 ', 4.5],
  ['4,5', 4.5],
  ['-3', -3],
  ['5.0 out of 5 stars', 5],
  ['3.0 out of 5', 3],
  ['4/5', 4],
  ['4 / 5', 4],
  ['5,0 von 5 Sternen', 5],
  ['4,0 de 5 estrellas', 4],
  ['4,0 sur 5 étoiles', 4],
  ['2,0 su 5 stelle', 2],
  ['5つ星のうち4.0', 4],
  ['4 stars', 4],
  ['1 star', 1],
  ['★★★★☆', 4],
  ['★★★', 3],
  ['⭐⭐⭐⭐⭐', 5],
  ['⭐️⭐️', 2],
  ['1.234,56', 1234.56],
  ['1,234.56', 1234.56],
  ['1,234,567', 1234567],
  ['1 234,5', 1234.5],
  ["1'234", 1234],
])('%s is %s', (text, value) => {
  expect(readNumber(text, 5)).toBe(value)
})

test.each([
  '',
  'five',
  '8/10',
  '4 out of 10',
  '★★☆',
  '1,234',
  '4.5.6',
  '1,2,3',
  '4/5/6',
  '5 apples',
  '4/',
  'NaN',
  '1e3x',
])('%j is no number of five that has one meaning', (text) => {
  expect(readNumber(text, 5)).toBeUndefined()
})

test('a rating of any scale is taken where the collection names none, and no other number is a rating', () => {
  const texts = ['8/10', '★★☆', '★★', '4 of 5', '4,5']
  expect(texts.map((text) => readNumber(text, 'any'))).toEqual([8, 2, 2, 4, 4.5])
  expect(texts.map((text) => readNumber(text, undefined))).toEqual([undefined, undefined, 2, undefined, 4.5])
})
