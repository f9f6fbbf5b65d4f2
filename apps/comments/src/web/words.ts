/** Offered where no statistics say which languages there are. */
export const COMMON_LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'ja', 'pt', 'pt-br', 'ar', 'zh'] as const

/** How numbers, dates and names are written where a reader lives. */
export interface Words {
  /** As in the `lang` of a page: `en`, `en-GB`. */
  readonly locale: string
  /** `1,070` */
  number(value: number): string
  /** `1,070 comments` */
  count(value: number, singular: string, plural?: string): string
  /** With one digit at most: `11.3` */
  decimal(value: number): string
  /** A mean rating, to the tenth; a dash where there is no rating. */
  average(value: number | null): string
  /** Read capacity units, to the hundredth. */
  rcu(value: number): string
  /** A share from 0 to 1 as a whole percentage. */
  percent(share: number): string
  /** A stretch of time in its largest unit: `12 minutes` */
  duration(milliseconds: number): string
  /** `Jun 30, 2025` */
  day(time: string): string
  /** A time to the second, without the year: `Nov 20, 20:16:19 UTC` */
  clockTime(time: string): string
  /** A time in full. */
  moment(time: string): string
  /** A language tag as a newcomer calls it: `pt-br` is Brazilian Portuguese. */
  languageName(tag: string): string
  /** How many comments there are, where that is known. */
  commentCount(total: number | null): string
}

function createWords(locale: string): Words {
  const numbers = new Intl.NumberFormat(locale)
  const decimals = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const capacity = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 2 })
  const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
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
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  const count = (value: number, singular: string, plural = `${singular}s`): string =>
    `${numbers.format(value)} ${value === 1 ? singular : plural}`
  return {
    locale,
    number: (value) => numbers.format(value),
    count,
    decimal: (value) => decimals.format(value),
    average: (value) => (value === null ? '–' : tenths.format(value)),
    rcu: (value) => capacity.format(value),
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
    commentCount: (total) => (total === null ? 'still counting' : count(total, 'comment')),
  }
}

/** The English of a region is written as there; there are no more of them than countries. */
const REGIONS = /^en-[A-Z]{2}$/
const known = new Map<string, Words>()

/** Words as a locale writes them; in American English where the pages do not speak its language. */
export function wordsOf(locale: string): Words {
  const spoken = REGIONS.test(locale) && Intl.NumberFormat.supportedLocalesOf([locale]).length > 0 ? locale : 'en'
  const words = known.get(spoken) ?? createWords(spoken)
  known.set(spoken, words)
  return words
}
