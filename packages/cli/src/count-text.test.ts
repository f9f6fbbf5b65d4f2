import { expect, test } from 'vitest'
import { count } from './count-text.ts'

test('one is singular, whatever else is plural, with the separators of thousands', () => {
  expect([0, 1, 1.02, 1_070].map((n) => count(n, 'item'))).toEqual(['0 items', '1 item', '1.02 items', '1,070 items'])
})
