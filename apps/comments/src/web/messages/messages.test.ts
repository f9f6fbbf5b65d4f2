import { describe, expect, test } from 'vitest'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'

const TRANSLATIONS: readonly (readonly [tag: string, messages: Messages, same: readonly string[]])[] = [
  ['de', de, ['filter.title', 'plan.plan']],
  [
    'fr',
    fr,
    ['pageInTitle', 'pages.label', 'pages.page', 'pages.number', 'form.ratings.5', 'photos.label', 'plan.plan'],
  ],
  ['es', es, ['plan.plan']],
  ['ja', ja, ['site.api']],
  ['ar', ar, []],
]

/** What is no translation: the name and the ways of the language itself, and words that are the same in all. */
const OWN = ['name', 'comma', 'direction', 'languageDisplay', 'counted', 'plan.words.0.0']

const ARGUMENTS = ['‹a›', '‹b›', '‹c›', '‹d›']

/** Returns each text under its path; a text that takes figures gets marks in their place. Nouns have forms of their own. */
function textsOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (path === 'nouns') return []
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return takesObject(path) ? [] : [[path, value(...ARGUMENTS)]]
  return Object.entries(value as object).flatMap(([name, inner]) =>
    textsOf(inner, path === '' ? name : `${path}.${name}`),
  )
}

const takesObject = (path: string) => ['listed', 'description'].includes(path)

/** The letters of a language that has none of English: a text without them, and with English words, was left. */
const LETTERS: Readonly<Record<string, RegExp>> = { ja: /[\u3040-\u30ff\u4e00-\u9fff]/, ar: /[\u0600-\u06ff]/ }

describe.each(TRANSLATIONS)('the texts in %s', (tag, messages, same) => {
  const translated = new Map(textsOf(messages))

  test('are all there, and none is left in English', () => {
    const english = textsOf(en)
    expect(english.length).toBeGreaterThan(200)
    expect([...translated.keys()].sort()).toEqual(english.map(([path]) => path).sort())
    const left = english.filter(([path, text]) => !OWN.includes(path) && translated.get(path) === text)
    expect(left.map(([path]) => path)).toEqual(same)
    const letters = LETTERS[tag]
    const unread = [...translated].filter(([path, text]) => !OWN.includes(path) && letters?.test(text) === false)
    expect(unread.filter(([, text]) => /[a-z]{3}/i.test(text)).map(([path]) => path)).toEqual(tag === 'ja' ? same : [])
  })

  test('have the same figures as the English ones', () => {
    const wanted = textsOf(en).filter(([path]) => path !== 'counted')
    for (const [path, text] of wanted) {
      for (const mark of [...ARGUMENTS, '{typed}', '{most}'])
        expect(translated.get(path)?.includes(mark), `${path} ${mark}`).toBe(text.includes(mark))
    }
  })

  test.each([{}, { comments: '7 x' }])('name what is listed by each of its filters, %o', (of) => {
    const given = { stars: '‹s›', language: '‹l›', from: '‹f›', to: '‹t›' }
    const listed = messages.listed({ ...of, ...given })
    for (const mark of [...Object.values(of), ...Object.values(given)]) expect(listed).toContain(mark)
    const described = messages.description({ listed: '‹x›', of: '‹o›', page: '‹p›', order: '‹r›' })
    for (const mark of ['‹x›', '‹o›', '‹p›', '‹r›']) expect(described).toContain(mark)
  })
})

test.each([['en', en, []] as const, ...TRANSLATIONS])(
  'the nouns in %s have each form that the language needs',
  (tag, messages) => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
    for (const [noun, forms] of Object.entries(messages.nouns)) {
      expect(Object.keys(forms).sort(), noun).toEqual([...pluralCategories].sort())
      expect(Object.keys(messages.nouns).sort()).toEqual(Object.keys(en.nouns).sort())
    }
  },
)
