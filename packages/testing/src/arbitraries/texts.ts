import fc from 'fast-check'

/** Texts that have broken key formats before: separators, escapes, prefixes of each other, and texts that sort oddly. */
const AWKWARD: readonly string[] = [
  '',
  ' ',
  '!',
  '"',
  '$',
  '%',
  '%2F',
  '%252F',
  '#',
  '/',
  '.',
  '..',
  '~',
  '~/~',
  'a',
  'a/b',
  'a#b',
  'a!',
  'a$',
  'a%',
  'a.b',
  'ab',
  'A',
  'en',
  'en/5',
  'e\u0301',
  '\u00e9',
  '1',
  '1.5',
  '-1',
  'true',
  'null',
  'undefined',
  'constructor',
  'toString',
  '__proto__',
  '\u{1F600}',
  '\u{1F600}\u{1F600}',
  '\u{10000}',
  '\u{10FFFF}',
  '\uE000',
  '\uFFFD',
  '\uFFFF',
  '\u200B',
  '\u202E',
]

/**
 * Draws any text without control characters, awkward ones often; 0 to `longest` UTF-16 units.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(awkwardText(40), (text) => text.length <= 40))
 * ```
 */
export function awkwardText(longest = 24): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...AWKWARD)
  return fc
    .oneof(
      { weight: 5, arbitrary: piece },
      { weight: 2, arbitrary: fc.tuple(piece, piece).map((pieces) => pieces.join('')) },
      { weight: 2, arbitrary: unicodeText(8) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
    )
    .map((text) => cutText(text.replace(/\p{Cc}/gu, ''), longest))
}

/**
 * Draws any well-formed text of up to this many code points. fast-check's own unit, `binary`, takes a second to set up in each process.
 *
 * @example
 * ```ts
 * const texts = unicodeText(8)
 * ```
 */
export function unicodeText(maxLength?: number): fc.Arbitrary<string> {
  const point = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  const unit = point.map((code) => String.fromCodePoint(code))
  return fc.string(maxLength === undefined ? { unit } : { unit, maxLength })
}

/**
 * Draws ids: 1 to 128 characters, now and then very long ones that differ only at the end.
 *
 * @example
 * ```ts run
 * import fc from 'fast-check'
 *
 * fc.assert(fc.property(awkwardId(), (id) => id.length > 0))
 * ```
 */
export function awkwardId(): fc.Arbitrary<string> {
  const long = fc
    .tuple(fc.constantFrom('\u{1F600}', 'x', '/', '\uFFFD', 'é'), fc.integer({ min: 40, max: 127 }))
    .chain(([character, length]) => awkwardText(4).map((end) => character.repeat(length) + end))
  return fc
    .oneof({ weight: 6, arbitrary: awkwardText() }, { weight: 1, arbitrary: long })
    .map((text) => [...text].slice(0, 128).join(''))
    .filter((text) => text !== '')
}

/** Cuts between characters, so that the text stays well-formed. */
function cutText(text: string, longest: number): string {
  let kept = ''
  for (const character of text) {
    if (kept.length + character.length > longest) break
    kept += character
  }
  return kept
}
