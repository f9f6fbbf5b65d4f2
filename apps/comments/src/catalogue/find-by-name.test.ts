import fc from 'fast-check'
import { awkwardText, chosenSeed, unicodeText } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { nameSearch } from './find-by-name.ts'
import { folded, foldedWords } from './folded.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

const text = fc
  .oneof(awkwardText(), unicodeText(), fc.string({ unit: 'grapheme' }))
  .map((drawn) => drawn.toWellFormed())
const ACCENTS = ['\u0300', '\u0301', '\u0308', '\u0327', '\u0303']
const NAMES = [
  'Crème brûlée burner',
  'Straße & Gasse map',
  'Ångström ruler',
  'Smørrebrød board',
  'Łódź guide',
  'Σοφός pen',
  'İstanbul tea glass',
  'がくぶち frame',
  'Halden Calm wireless headphones',
  'Halden Nord wireless headphones',
]
const products = NAMES.map((name, i) => ({ id: String(i), name }))
const find = nameSearch(products)

test('folding a folded text changes nothing', () => {
  fc.assert(
    fc.property(text, (drawn) => {
      expect(folded(folded(drawn))).toBe(folded(drawn))
    }),
    { seed, numRuns: 500 },
  )
})

test('a text is the same in either case, composed or not', () => {
  fc.assert(
    fc.property(text, (drawn) => {
      for (const other of [
        drawn.toUpperCase(),
        drawn.normalize('NFC'),
        drawn.normalize('NFD'),
        drawn.normalize('NFKC'),
      ])
        expect(folded(other)).toBe(folded(drawn))
    }),
    { seed, numRuns: 500, examples: [['\u037a']] },
  )
})

test('accents can be left out, and put where there are none', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]{1,12}$/), fc.array(fc.constantFrom('', ...ACCENTS)), (plain, accents) => {
      const marked = [...plain].map((letter, i) => letter + (letter === ' ' ? '' : (accents[i] ?? ''))).join('')
      expect(folded(marked)).toBe(folded(plain))
      expect(folded(marked.normalize('NFC'))).toBe(folded(plain))
    }),
    { seed, numRuns: 300 },
  )
})

test('marks that are letters of a script stay', () => {
  expect(folded('कि')).not.toBe(folded('का'))
})

test('a product is found by the beginnings of words of its name, in any case and order, with and without accents', () => {
  fc.assert(
    fc.property(
      fc.nat(products.length - 1),
      fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 3 }),
      fc.constantFrom<(typed: string) => string>(
        (typed) => typed,
        (typed) => typed.toUpperCase(),
        (typed) => typed.normalize('NFD'),
        folded,
      ),
      (i, parts, typedAs) => {
        const words = NAMES[i]?.split(/[^\p{L}\p{M}]+/u).filter(Boolean) ?? []
        const typed = parts
          .map(([at, length]) => [...(words[at % words.length] ?? '')].slice(0, length).join(''))
          .join(' ')
        expect(find(typedAs(typed), products.length)).toContain(products[i])
      },
    ),
    { seed, numRuns: 500 },
  )
})

test('what is found has each word that was typed', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 4 }), (typed, limit) => {
      const found = find(typed, limit)
      expect(found.length).toBeLessThanOrEqual(limit)
      for (const { id, name } of found.filter((product) => product.id !== typed))
        expect(
          foldedWords(typed).every((part) => foldedWords(name).some((word) => word.startsWith(part))),
          id,
        ).toBe(true)
    }),
    { seed, numRuns: 500 },
  )
})

test.each([
  ['strasse', ['1']],
  ['ANGSTROM', ['2']],
  ['smorrebrod', ['3']],
  ['lodz', ['4']],
  ['σοφοσ', ['5']],
  ['istan', ['6']],
  ['かくふ', ['7']],
  ['halden', ['8', '9']],
  ['head nord', ['9']],
  ['9', ['9']],
  ['alden', []],
  ['&', []],
  ['', []],
])('%s finds %j', (typed, ids) => {
  expect(find(typed, 10).map(({ id }) => id)).toEqual(ids)
})
