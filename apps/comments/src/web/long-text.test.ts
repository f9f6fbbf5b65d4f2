import { expect, test } from 'vitest'
import { longOn } from './long-text.ts'

test.each([
  ['Short.', undefined],
  ['x'.repeat(250), undefined],
  ['x'.repeat(300), 'narrow'],
  ['x'.repeat(500), 'all'],
  ['line\n'.repeat(7), 'all'],
  ['思'.repeat(200), 'narrow'],
  ['思'.repeat(300), 'all'],
])('%j is long on: %s', (text, expected) => {
  expect(longOn(text)).toBe(expected)
})
