import { expect, test } from 'vitest'
import { languageSchema } from './comment.ts'
import { isLanguageTag } from './language-tag.ts'

test.each([
  'en',
  'gsw',
  'pt-br',
  'zh-hant-tw',
  'zh-cmn-hans-cn',
  'zh-cmn-hans-cn-u-co-pinyin',
  'es-419',
  'de-1996',
  'sl-rozaj-biske-1994',
  'de-ch-1901',
  'en-a-bbb-x-a-ccc',
  'de-de-u-co-phonebk',
  'x-klingon',
  'en-x-us',
  'i-klingon',
  'en-gb-oed',
])('%s is a tag', (tag) => {
  expect(isLanguageTag(tag)).toBe(true)
  expect(languageSchema.parse(tag.toUpperCase())).toBe(tag)
})

test.each([
  '',
  'e',
  '12',
  'en-',
  '-en',
  'en--us',
  'en_us',
  'en us',
  'en-u',
  'en-x',
  'x',
  'a-de',
  'de-419-de',
  'englishlanguage',
  'english-language-of-england',
  'en-\u212a',
  'en\n',
  'zh-cmn-hans-cn-u-co-pinyin-x-longer-yet',
])('%j is none', (tag) => {
  expect(languageSchema.safeParse(tag).success).toBe(false)
})
