import { expect, test } from 'vitest'
import { languageOfCountry, readLanguage } from './read-language.ts'

test.each([
  ['en', 'en'],
  ['EN', 'en'],
  ['pt_BR', 'pt-BR'],
  [' fr-FR ', 'fr-FR'],
  ['eng', 'en'],
  ['zh-Hant', 'zh-Hant'],
  ['English', 'en'],
  ['german', 'de'],
  ['Deutsch', 'de'],
  ['español', 'es'],
  ['日本語', 'ja'],
  ['Portuguese (Brazil)', 'pt-BR'],
  ['Brazilian Portuguese', 'pt-BR'],
])('%s is %s', (text, tag) => {
  expect(readLanguage(text)).toBe(tag)
})

test.each(['', 'klingonisch', 'en_US.UTF-8', '5', 'e'])('%j is no language', (text) => {
  expect(readLanguage(text)).toBeUndefined()
})

test('a country has the language that most of its people write', () => {
  expect(['US', 'UK', 'de', 'JP', 'BR', 'XX', '', 'USA'].map(languageOfCountry)).toEqual([
    'en',
    'en',
    'de',
    'ja',
    'pt',
    undefined,
    undefined,
    undefined,
  ])
})
