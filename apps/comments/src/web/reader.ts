import type { Context, MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'
import { createContext, useContext } from 'hono/jsx'
import { type VisitorShown, visitorOf } from './people/visitor-shown.ts'
import { loadWords, spokenIn, type Words, wordsOf } from './words.ts'

/** The reader of a page, as the browser describes them. */
export interface Reader {
  readonly words: Words
  /** Language tags, the best liked first: `pt-br`, `pt`, `en`. */
  readonly languages: readonly string[]
  /** Whether plans come before lists: the switch at the foot of each page, kept in a cookie that holds nothing else. */
  readonly plansFirst: boolean
  /**
   * The beginning of absolute addresses, `https://shop.example`; undefined where that is not configured. It is not taken from a request: a
   * client writes its `Host`, and a page that a cache keeps would lead others there.
   */
  readonly publicUrl: string | undefined
  /** Whether products are found by name; else by their ids alone. */
  readonly hasNames: boolean
  /** Whether comments can have photos. */
  readonly hasPhotos: boolean
  /** Who they are, where the shop knows its people. */
  readonly visitor: VisitorShown | undefined
}

const UNKNOWN: Reader = {
  words: wordsOf([]),
  languages: [],
  plansFirst: false,
  publicUrl: undefined,
  hasNames: false,
  hasPhotos: false,
  visitor: undefined,
}

export const ReaderContext = createContext<Reader>(UNKNOWN)

/** Returns the reader of the page, for components. */
export function useReader(): Reader {
  return useContext(ReaderContext)
}

/** Returns the texts in the language of the reader, and its formats, for components. */
export function useWords(): Words {
  return useReader().words
}

/** The cookie that holds the language that a reader chose at the foot of a page. */
export const LANGUAGE_COOKIE = 'language'

/** Loads the texts in the language of a request's reader, for {@link readerOf}. */
export function loadsWords(): MiddlewareHandler {
  return async (c, next) => {
    await loadWords(tagsOf(c))
    await next()
  }
}

/** Reads the languages of a request once, however often they are asked for. */
function tagsOf(c: Context): readonly string[] {
  const known: readonly string[] | undefined = c.get(TAGS)
  if (known !== undefined) return known
  const tags = chosenFirst(getCookie(c, LANGUAGE_COOKIE), acceptedLanguages(c.req.header('Accept-Language')))
  c.set(TAGS, tags)
  return tags
}

/** Returns the reader of a request, whose texts {@link loadsWords} has loaded. */
export function readerOf(c: Context): Reader {
  const tags = tagsOf(c)
  const words = wordsOf(tags)
  const languages = tags.map((tag) => tag.toLowerCase()).flatMap((tag) => [tag, tag.replace(/-.*/, '')])
  return {
    words,
    languages: [...new Set(languages)],
    plansFirst: getCookie(c, 'plans') === 'first',
    publicUrl: c.get(PUBLIC_URL),
    hasNames: c.get(HAS_NAMES) === true,
    hasPhotos: c.get(HAS_PHOTOS) === true,
    visitor: visitorOf(c),
  }
}

const TAGS = 'languageTags'
const PUBLIC_URL = 'publicUrl'
const HAS_NAMES = 'hasNames'
const HAS_PHOTOS = 'hasPhotos'

/** Has the pages search by name. */
export function searchesByName(): MiddlewareHandler {
  return async (c, next) => {
    c.set(HAS_NAMES, true)
    await next()
  }
}

/** Has the forms take photos. */
export function takesPhotos(): MiddlewareHandler {
  return async (c, next) => {
    c.set(HAS_PHOTOS, true)
    await next()
  }
}

/** Sets the address of the pages as seen from outside. */
export function seenAt(publicUrl: string): MiddlewareHandler {
  return async (c, next) => {
    c.set(PUBLIC_URL, publicUrl)
    await next()
  }
}

/** Returns the same reader, for a page that is written in English only. */
export function inEnglish(reader: Reader): Reader {
  return { ...reader, words: wordsOf(reader.words.locale.startsWith('en') ? [reader.words.locale] : []) }
}

/** Puts the language that a reader chose before all others, where the browser says the reader lives: `de-AT`. */
function chosenFirst(chosen: string | undefined, tags: readonly string[]): readonly string[] {
  if (chosen === undefined || spokenIn(chosen) !== chosen) return tags
  return [...tags.filter((tag) => spokenIn(tag) === chosen), chosen, ...tags]
}

/** More than any reader has. */
const MOST_LANGUAGES = 10

/** Returns the tags of an `Accept-Language`, the best liked first, without those that are malformed. */
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
