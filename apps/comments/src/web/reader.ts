import type { Context, MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'
import { createContext, useContext } from 'hono/jsx'
import { type Words, wordsOf } from './words.ts'

/** What a browser says of the person who reads. */
export interface Reader {
  readonly words: Words
  /** Language tags, the best liked first: `pt-br`, `pt`, `en`. */
  readonly languages: readonly string[]
  /** Whether plans come before lists: the switch at the foot of each page, kept in a cookie that holds nothing else. */
  readonly plansFirst: boolean
  /**
   * What absolute addresses begin with, `https://shop.example`; undefined where that is not configured. A request does not tell: its `Host` is
   * what a client wrote, and a page that is kept would lead others there.
   */
  readonly publicUrl: string | undefined
}

const UNKNOWN: Reader = {
  words: wordsOf([]),
  languages: [],
  plansFirst: false,
  publicUrl: undefined,
}

export const ReaderContext = createContext<Reader>(UNKNOWN)

/** For components: the reader of the page. */
export function useReader(): Reader {
  return useContext(ReaderContext)
}

/** For components: the texts in the language of the reader, and how that is written. */
export function useWords(): Words {
  return useReader().words
}

export function readerOf(c: Context): Reader {
  const tags = acceptedLanguages(c.req.header('Accept-Language'))
  const words = wordsOf(tags)
  const languages = tags.map((tag) => tag.toLowerCase()).flatMap((tag) => [tag, tag.replace(/-.*/, '')])
  return {
    words,
    languages: [...new Set(languages)],
    plansFirst: getCookie(c, 'plans') === 'first',
    publicUrl: c.get(PUBLIC_URL),
  }
}

const PUBLIC_URL = 'publicUrl'

/** Says where the pages are seen from outside. */
export function seenAt(publicUrl: string): MiddlewareHandler {
  return async (c, next) => {
    c.set(PUBLIC_URL, publicUrl)
    await next()
  }
}

/** The same reader, of pages that are written in English alone. */
export function inEnglish(reader: Reader): Reader {
  return { ...reader, words: wordsOf(reader.words.locale.startsWith('en') ? [reader.words.locale] : []) }
}

/** More than any reader has. */
const MOST_LANGUAGES = 10

/** The tags of an `Accept-Language`, the best liked first; those that are no tags are left out. */
export function acceptedLanguages(header = ''): readonly string[] {
  return header
    .split(',', MOST_LANGUAGES)
    .flatMap((part): { tag: string; weight: number }[] => {
      const [, tag, weight = '1'] = /^\s*([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part) ?? []
      return tag === undefined || !(Number(weight) > 0) ? [] : [{ tag: canonical(tag), weight: Number(weight) }]
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag
  } catch {
    return tag
  }
}
