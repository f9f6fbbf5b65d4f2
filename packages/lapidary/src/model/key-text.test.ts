import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byteLength, compareBytes, escapeComponent, escapeOrdered, keyProblem, unescapeComponent } from './key-text.ts'

/** Well-formed texts of any code point, with the borders of UTF-16 and of the escapes in every run. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '\0',
        ' ',
        '!',
        '"',
        '#',
        '$',
        '%',
        '&',
        '/',
        '.',
        '~',
        'a',
        '\u007f',
        '\uD7FF',
        '\uE000',
        '\uFFFD',
        '\uFFFF',
        '\u{10000}',
        '\u{10FFFF}',
      ),
    )
    .map((pieces) => pieces.join('')),
)

const bytewise = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))

test('an escaped component is unescaped to what it was', () => {
  fc.assert(fc.property(anyText, (text) => unescapeComponent(escapeComponent(text)) === text))
})

test('no separator, mark, space or control is left in an escaped component', () => {
  fc.assert(fc.property(anyText, (text) => !/[#/~. \n\t\0]/.test(escapeComponent(text))))
})

test('different texts never escape to the same component', () => {
  fc.assert(fc.property(anyText, anyText, (a, b) => a === b || escapeComponent(a) !== escapeComponent(b)))
})

test('texts compare as their UTF-8 bytes do', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => Math.sign(compareBytes(a, b)) === bytewise(a, b)),
    { numRuns: 1000 },
  )
})

test('astral characters come after U+FFFD and U+E000, where UTF-16 units would come before', () => {
  expect(['\u{1F600}', '\uFFFD', '\uE000', 'é', 'a'].sort(compareBytes)).toEqual([
    'a',
    'é',
    '\uE000',
    '\uFFFD',
    '\u{1F600}',
  ])
})

test('the ordered escape keeps the order of texts, also where one begins with the other', () => {
  fc.assert(
    fc.property(
      anyText,
      anyText,
      (a, b) => bytewise(`${escapeOrdered(a)}#`, `${escapeOrdered(b)}#`) === bytewise(a, b),
    ),
    { numRuns: 1000 },
  )
})

test('a key text has 1 to 512 characters and is well-formed', () => {
  for (const good of ['a', '#/~.%', '\u{1F600}'.repeat(128), 'x'.repeat(512)]) expect(keyProblem(good)).toBeUndefined()
  for (const bad of ['', 'x'.repeat(513), '\uD83D', 42, null, undefined]) expect(keyProblem(bad)).toMatch(/must be a/)
})

test('the longest key text, escaped, leaves room for marks and facets in a key of 2048 bytes', () => {
  for (const character of ['#', '\uFFFF', '\u{1F600}', 'é']) {
    const longest = character.repeat(512 / character.length)
    expect(byteLength(escapeComponent(longest))).toBeLessThanOrEqual(1536)
  }
})
