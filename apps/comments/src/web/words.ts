const names = new Intl.DisplayNames(['en'], { type: 'language' })
const numbers = new Intl.NumberFormat('en')
const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const capacity = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 2 })
const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const clockTimes = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' })

/** Offered where no statistics say which languages there are. */
export const COMMON_LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'ja', 'pt', 'pt-br', 'ar', 'zh'] as const

/** A language tag as a newcomer calls it: `pt-br` is Brazilian Portuguese. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}

export function count(value: number, singular: string, plural = `${singular}s`): string {
  return `${numbers.format(value)} ${value === 1 ? singular : plural}`
}

/** How many comments there are, where that is known. */
export function commentCount(total: number | null): string {
  return total === null ? 'still counting' : count(total, 'comment')
}

/** A stretch of time in its largest unit: `12 minutes`. */
export function duration(milliseconds: number): string {
  const minutes = milliseconds / 60_000
  if (minutes < 1) return count(Math.ceil(milliseconds / 1000), 'second')
  return minutes < 60 ? count(Math.floor(minutes), 'minute') : count(Math.floor(minutes / 60), 'hour')
}

export function decimal(value: number): string {
  return decimals.format(value)
}

/** A mean rating, to the tenth; a dash when nobody rated. */
export function average(value: number | null): string {
  return value === null ? '–' : tenths.format(value)
}

/** Read capacity units, to the hundredth. */
export function rcu(value: number): string {
  return capacity.format(value)
}

/** A share from 0 to 1 as a whole percentage. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

export function day(time: string): string {
  return days.format(new Date(time))
}

/** A time to the second, without the year: `Nov 20, 20:16:19 UTC`. */
export function clockTime(time: string): string {
  return `${clockTimes.format(new Date(time))} UTC`
}

export function moment(time: string): string {
  return moments.format(new Date(time))
}
