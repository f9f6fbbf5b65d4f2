import type { Refusal } from 'lapidary'
import { expect, test } from 'vitest'
import { ReaderContext } from '../reader.ts'
import { loadWords, wordsOf } from '../words.ts'
import { RefusedIndex } from './refused-index.tsx'

const REFUSALS: readonly Refusal[] = [
  { kind: 'sparse', facet: 'rating', values: [1, 2] },
  { kind: 'scope', lists: 'one' },
  { kind: 'scope', lists: 'all' },
  { kind: 'values', facet: 'language', asked: 'open' },
  { kind: 'values', facet: 'language', asked: 'range' },
  { kind: 'key', facet: 'language', without: 'null' },
  { kind: 'key', facet: 'language', without: 'empty' },
  { kind: 'assembled', collection: 'COMMENT' },
  { kind: 'sources', needed: 1040, most: 32, scopes: false },
  { kind: 'absent' },
  { kind: 'filling' },
  { kind: 'duplicates' },
  { kind: 'redeclared' },
  { kind: 'differs', what: 'state of index byRating', actual: 'CREATING' },
]

await loadWords(['de'])

function shown(locale: string, refusal: Refusal): string {
  const reader = {
    words: wordsOf([locale]),
    languages: [],
    plansFirst: false,
    publicUrl: undefined,
    hasNames: false,
    hasPhotos: false,
    visitor: undefined,
  }
  const html = (
    <ReaderContext.Provider value={reader}>
      <RefusedIndex index="byRating" refusal={refusal} />
    </ReaderContext.Provider>
  )
  return html.toString()
}

test.each(REFUSALS)('why an index can not answer is said in the language of the reader: %o', (refusal) => {
  const [english, german] = [shown('en', refusal), shown('de', refusal)]
  for (const text of [english, german]) expect(text).toMatch(/^<code>byRating<\/code> [^<]{10,}\.$/)
  expect(german).not.toBe(english)
  expect(german).not.toMatch(/\b(the|is|not|lists?|query)\b/)
})

test('figures are written as the reader writes them, and names of values as they are', () => {
  expect(shown('de', REFUSALS[8] as Refusal)).toContain('1.040 Listen')
  expect(shown('de', REFUSALS[0] as Refusal)).toContain('rating 1 und 2')
})

test('what a layout of the user says stays as it is', () => {
  expect(shown('de', { kind: 'other', text: 'is mine' })).toBe('<code>byRating</code> <span lang="en">is mine</span>')
})
