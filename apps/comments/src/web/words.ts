import { en, type Messages } from './messages/en.ts'

/** The languages that are offered where no statistics say which there are. */
export const COMMON_LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'ja', 'pt', 'pt-br', 'ar', 'zh'] as const

/** The nouns that can be counted in words. */
export type Noun = keyof Messages['nouns']

/** The texts of the pages in a reader's language, and the formats of numbers, dates and names where the reader lives. */
export interface Words {
  /** The locale, as in the `lang` of a page: `en`, `en-GB`, `de-AT`. */
  readonly locale: string
  readonly say: Messages
  /** `1,070` */
  number(value: number): string
  /** Writes a number in the room of four digits or so: `1.1K` */
  shortNumber(value: number): string
  /** `1,070 comments` */
  count(value: number, noun: Noun): string
  /** Returns the noun by itself, as it goes with a number: `comments` */
  noun(value: number, noun: Noun): string
  /** `1, 2 and 3` */
  list(items: readonly string[]): string
  /** Writes a number with at most one decimal: `11.3` */
  decimal(value: number): string
  /** Writes a mean rating, to the tenth; a dash where there is no rating. */
  average(value: number | null): string
  /** Writes read capacity units, to the hundredth. */
  rcu(value: number): string
  /** Writes the figures of a column, always to the hundredth, so that they stand under each other. */
  exactRcu(value: number): string
  /** Writes dollars: `$0.25` */
  money(value: number): string
  /** Writes a share from 0 to 1 as a whole percentage. */
  percent(share: number): string
  /** Writes a length of time in its largest unit: `12 minutes` */
  duration(milliseconds: number): string
  /** `Jun 30, 2025` */
  day(time: string): string
  /** `Jun 2025` */
  month(time: string): string
  /** Writes a time to the second, without the year: `Nov 20, 20:16:19 UTC` */
  clockTime(time: string): string
  /** Writes a time in full. */
  moment(time: string): string
  /** Names a language as a newcomer would: `pt-br` is Brazilian Portuguese. */
  languageName(tag: string): string
  /** Names a language where its name stands alone, with a capital letter. */
  languageTitle(tag: string): string
  /** Says how many comments there are, where that is known. */
  commentCount(total: number | null): string
  /** Returns another person's text for a sentence of plain text, in which neither changes the direction of the other. */
  isolate(text: string): string
}

/** Letters that are written from right to left: Hebrew, Arabic and their kin. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/
/** Unicode's marks around a text that has a direction of its own. */
const ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'

/** Arabic has two sets of digits; texts, addresses and number fields have these, so that no page mixes both. */
const DIGITS = '-u-nu-latn'

function createWords(language: string, say: Messages): Words {
  const locale = language + DIGITS
  const numbers = new Intl.NumberFormat(locale)
  const shortNumbers = new Intl.NumberFormat(locale, { notation: 'compact' })
  const decimals = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const capacity = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 2 })
  const hundredths = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })
  const percents = new Intl.NumberFormat(locale, { style: 'percent' })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const months = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' })
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' })
  const clockTimes = new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  })
  const names = new Intl.DisplayNames([locale], { type: 'language', languageDisplay: say.languageDisplay })
  const languageName = (tag: string): string => {
    try {
      return names.of(tag) ?? tag
    } catch {
      return tag
    }
  }
  const lists = new Intl.ListFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  const noun = (value: number, noun: Noun): string => say.nouns[noun][plurals.select(value)] ?? say.nouns[noun].other
  const count = (value: number, of: Noun): string =>
    say.counted(numbers.format(value), noun(value, of), plurals.select(value))
  return {
    locale: language,
    say,
    number: (value) => numbers.format(value),
    shortNumber: (value) => shortNumbers.format(value),
    count,
    noun,
    list: (items) => lists.format(items),
    decimal: (value) => decimals.format(value),
    average: (value) => (value === null ? '–' : tenths.format(value)),
    rcu: (value) => capacity.format(value),
    exactRcu: (value) => hundredths.format(value),
    money: (value) => dollars.format(value),
    percent: (share) => percents.format(share),
    duration(milliseconds) {
      const minutes = milliseconds / 60_000
      if (minutes < 1) return count(Math.ceil(milliseconds / 1000), 'second')
      return minutes < 60 ? count(Math.floor(minutes), 'minute') : count(Math.floor(minutes / 60), 'hour')
    },
    day: (time) => days.format(new Date(time)),
    month: (time) => months.format(new Date(time)),
    clockTime: (time) => `${clockTimes.format(new Date(time))} UTC`,
    moment: (time) => moments.format(new Date(time)),
    languageName,
    languageTitle(tag) {
      const [first = '', ...rest] = languageName(tag)
      return first.toLocaleUpperCase(locale) + rest.join('')
    },
    commentCount: (total) => (total === null ? say.stillCounting : count(total, 'comment')),
    isolate: (text) => (say.direction === 'rtl' || RIGHT_TO_LEFT.test(text) ? ISOLATE + text + POP_ISOLATE : text),
  }
}

/** A language that the pages speak, by its name in itself. */
export interface SpokenLanguage {
  readonly tag: string
  readonly name: string
}

/** The languages that a reader can choose. */
export const SPOKEN_LANGUAGES: readonly SpokenLanguage[] = [
  { tag: 'en', name: 'English' },
  { tag: 'de', name: 'Deutsch' },
  { tag: 'fr', name: 'Français' },
  { tag: 'es', name: 'Español' },
  { tag: 'ja', name: '日本語' },
  { tag: 'ar', name: 'العربية' },
]

/** Each language's texts are loaded for its first reader: a function that starts needs one of them. */
const LATE: Readonly<Record<string, () => Promise<Messages>>> = {
  de: async () => (await import('./messages/de.ts')).de,
  fr: async () => (await import('./messages/fr.ts')).fr,
  es: async () => (await import('./messages/es.ts')).es,
  ja: async () => (await import('./messages/ja.ts')).ja,
  ar: async () => (await import('./messages/ar.ts')).ar,
}
const loaded = new Map<string, Messages>([['en', en]])

/** A language, with or without a region (a country or, as in `es-419`, a larger one); there are no more of them than regions. */
const LOCALE = /^([a-z]{2})(?:-(?:[A-Z]{2}|\d{3}))?$/
const known = new Map<string, Words>()

/** Loads the texts that {@link wordsOf} needs for some locales. */
export async function loadWords(locales: readonly string[]): Promise<void> {
  const language = spokenIn(bestOf(locales)) ?? 'en'
  const load = LATE[language]
  if (load !== undefined && !loaded.has(language)) loaded.set(language, await load())
}

/**
 * Makes the words for the locale that a reader likes best, among the languages that the pages speak; in American English where they speak none.
 *
 * @throws {Error} for a language that {@link loadWords} has not loaded.
 */
export function wordsOf(locales: readonly string[]): Words {
  const locale = bestOf(locales)
  const messages = loaded.get(spokenIn(locale) ?? 'en')
  if (messages === undefined) throw new Error(`the texts of ${locale} are not loaded; call loadWords first`)
  const words = known.get(locale) ?? createWords(locale, messages)
  known.set(locale, words)
  return words
}

function bestOf(locales: readonly string[]): string {
  return locales.find((each) => spokenIn(each) !== undefined) ?? 'en'
}

/** Returns the language of a locale if the pages speak it. */
export function spokenIn(locale: string): string | undefined {
  const [, language = ''] = LOCALE.exec(locale) ?? []
  const isKnown = SPOKEN_LANGUAGES.some(({ tag }) => tag === language)
  return isKnown && Intl.NumberFormat.supportedLocalesOf([locale]).length > 0 ? language : undefined
}
