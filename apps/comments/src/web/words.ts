const names = new Intl.DisplayNames(['en'], { type: 'language' })
const numbers = new Intl.NumberFormat('en')
const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const capacity = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 2 })
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
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

export function decimal(value: number): string {
  return decimals.format(value)
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

export function moment(time: string): string {
  return moments.format(new Date(time))
}
