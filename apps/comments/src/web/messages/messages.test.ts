import { expect, test } from 'vitest'
import { de } from './de.ts'
import { en } from './en.ts'

/** German has the same words for these. */
const SAME = ['filter.title', 'form.text', 'plan.layout', 'plan.plan', 'plan.words.0.0', 'nouns.comment']

const ARGUMENTS = ['‹a›', '‹b›', '‹c›']

/** Returns each text under its path; a text that takes figures gets marks in their place. */
function textsOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return value.length === 0 || takesObject(path) ? [] : [[path, value(...ARGUMENTS)]]
  return Object.entries(value as object).flatMap(([name, inner]) =>
    textsOf(inner, path === '' ? name : `${path}.${name}`),
  )
}

const takesObject = (path: string) => ['listed', 'description'].includes(path)

test('each German text is a translation that has the same figures in it', () => {
  const german = new Map(textsOf(de))
  const english = textsOf(en)
  expect(english.length).toBeGreaterThan(150)
  for (const [path, text] of english) {
    const translated = german.get(path) ?? ''
    if (path !== 'languageDisplay' && !SAME.includes(path)) expect(translated, path).not.toBe(text)
    for (const mark of [...ARGUMENTS, '{typed}', '{most}'])
      expect(translated.includes(mark), path).toBe(text.includes(mark))
  }
})
