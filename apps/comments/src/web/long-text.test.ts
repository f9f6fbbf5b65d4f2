import { expect, test } from 'vitest'
import { longOn, paragraphsOf } from './long-text.ts'

test.each([
  ['Short.', undefined],
  ['x'.repeat(250), undefined],
  ['x'.repeat(300), 'narrow'],
  ['x'.repeat(500), 'all'],
  ['line\n'.repeat(7), 'all'],
  ['\n\n\n\nspaced\n\n\n\nout\n\n\n', undefined],
  ['思'.repeat(200), 'narrow'],
  ['思'.repeat(300), 'all'],
])('%j is long on: %s', (text, expected) => {
  expect(longOn(text)).toBe(expected)
})

test.each([
  ['One.', ['One.']],
  ['One.\n\nTwo\nlines.\n \t\n\nThree.\n', ['One.', 'Two\nlines.', 'Three.']],
  ['\n\n', []],
])('%j has the paragraphs %j', (text, expected) => {
  expect(paragraphsOf(text)).toEqual(expected)
})
