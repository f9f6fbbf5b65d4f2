import { de } from './messages/de.ts'
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
  /** Writes a time to the second, without the year: `Nov 20, 20:16:19 UTC` */
  clockTime(time: string): string
  /** Writes a time in full. */
  moment(time: string): string
  /** Names a language as a newcomer would: `pt-br` is Brazilian Portuguese. */
  languageName(tag: string): string
  /** Says how many comments there are, where that is known. */
  commentCount(total: number | null): string
}

function createWords(locale: string, say: Messages): Words {
  const numbers = new Intl.NumberFormat(locale)
  const decimals = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const capacity = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 2 })
  const hundredths = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })
  const percents = new Intl.NumberFormat(locale, { style: 'percent' })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
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
  const lists = new Intl.ListFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  const noun = (value: number, noun: Noun): string => say.nouns[noun][plurals.select(value) === 'one' ? 'one' : 'other']
  const count = (value: number, of: Noun): string => `${numbers.format(value)} ${noun(value, of)}`
  return {
    locale,
    say,
    number: (value) => numbers.format(value),
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
    clockTime: (time) => `${clockTimes.format(new Date(time))} UTC`,
    moment: (time) => moments.format(new Date(time)),
    languageName(tag) {
      try {
        return names.of(tag) ?? tag
      } catch {
        return tag
      }
    },
    commentCount: (total) => (total === null ? say.stillCounting : count(total, 'comment')),
  }
}

/** The languages that the pages speak. */
const SPOKEN: Readonly<Record<string, Messages>> = { en, de }
/** A language, with or without a region; there are no more of them than countries. */
const LOCALE = /^([a-z]{2})(?:-[A-Z]{2})?$/
const known = new Map<string, Words>()

/** Makes the words for the locale that a reader likes best, among the languages that the pages speak; in American English where they speak none. */
export function wordsOf(locales: readonly string[]): Words {
  const locale = locales.find((each) => messagesOf(each) !== undefined) ?? 'en'
  const words = known.get(locale) ?? createWords(locale, messagesOf(locale) ?? en)
  known.set(locale, words)
  return words
}

function messagesOf(locale: string): Messages | undefined {
  const [, language = ''] = LOCALE.exec(locale) ?? []
  const isKnown = Object.hasOwn(SPOKEN, language) && Intl.NumberFormat.supportedLocalesOf([locale]).length > 0
  return isKnown ? SPOKEN[language] : undefined
}
