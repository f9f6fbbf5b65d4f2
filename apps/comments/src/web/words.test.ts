import { beforeAll, describe, expect, test } from 'vitest'
import { loadWords, SPOKEN_LANGUAGES, wordsOf } from './words.ts'

beforeAll(() => Promise.all(SPOKEN_LANGUAGES.map(({ tag }) => loadWords([tag]))))

test('each language is named as its own texts name it', () => {
  for (const { tag, name } of SPOKEN_LANGUAGES) expect(wordsOf([tag]).say.name).toBe(name)
})

describe('what is counted', () => {
  test.each([
    ['en', ['0 comments', '1 comment', '2 comments', '1,070 comments']],
    ['de', ['0 Kommentare', '1 Kommentar', '2 Kommentare', '1.070 Kommentare']],
    ['fr', ['0 commentaire', '1 commentaire', '2 commentaires', '1\u202f070 commentaires']],
    ['es', ['0 comentarios', '1 comentario', '2 comentarios', '1070 comentarios']],
    ['ja', ['0件のコメント', '1件のコメント', '2件のコメント', '1,070件のコメント']],
    ['ar', ['0 تعليق', 'تعليق واحد', 'تعليقان', '1,070 تعليقًا']],
  ])('is said in %s as its speakers do', (locale, expected) => {
    const { count } = wordsOf([locale])
    expect([0, 1, 2, 1070].map((value) => count(value, 'comment'))).toEqual(expected)
  })

  test('has a form of its own for few, many and hundreds in Arabic, and for millions in French', () => {
    expect([3, 11, 100].map((value) => wordsOf(['ar']).count(value, 'page'))).toEqual([
      '3 صفحات',
      '11 صفحة',
      '100 صفحة',
    ])
    expect(wordsOf(['fr']).count(1_000_000, 'comment')).toBe('1\u202f000\u202f000 de commentaires')
  })
})

test('digits are the same in all countries where Arabic is read, as in addresses and fields', () => {
  for (const locale of ['ar', 'ar-EG', 'ar-SA', 'ar-AE']) expect(wordsOf([locale]).number(42)).toBe('42')
})

test('a reader in Latin America gets Spanish', () => {
  expect(wordsOf(['es-419', 'en']).locale).toBe('es-419')
  expect(wordsOf(['es-419', 'en']).say.name).toBe('Español')
})

test('each language is named in itself', () => {
  expect(SPOKEN_LANGUAGES.map(({ name }) => name)).toEqual([
    'English',
    'Deutsch',
    'Français',
    'Español',
    '日本語',
    'العربية',
  ])
})

test('a language that stands alone begins with a capital letter', () => {
  expect(wordsOf(['fr']).languageTitle('en')).toBe('Anglais')
  expect(wordsOf(['fr']).languageName('en')).toBe('anglais')
})

test('another person’s words keep their direction to themselves, where there are two', () => {
  const { isolate } = wordsOf(['en'])
  expect(isolate('Wren')).toBe('Wren')
  expect(isolate('عائشة')).toBe('\u2068عائشة\u2069')
  expect(wordsOf(['ar']).isolate('Wren')).toBe('\u2068Wren\u2069')
})
