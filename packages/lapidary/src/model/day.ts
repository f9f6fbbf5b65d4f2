/** Days of a zone as texts: `2026-01-31`. */

export const UTC = 'UTC'

/** A part of a time line. Weeks begin on Monday, as in ISO 8601. */
export type Span = 'day' | 'week' | 'month'
export const SPANS: readonly unknown[] = ['day', 'week', 'month'] satisfies Span[]

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_MS = 86_400_000
const SECOND_MS = 1_000
const MONDAY = 1
const LAST_WEEKDAY = 7

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** Tells in which day of a zone a time is, ISO 8601 in UTC. */
export function dayOf(zone: string): (time: string) => string {
  if (zone === UTC) return (time) => time.slice(0, 'YYYY-MM-DD'.length)
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone: zone, calendar: 'iso8601', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  })
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]))
    return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`
  }
}

/** Returns the first second of a day of a zone, in milliseconds since 1970; of a day that a zone left out, that of the next. */
export function dayStart(zone: string): (day: string) => number {
  if (zone === UTC) return timeOf
  const dayAtTime = dayOf(zone)
  return (day) => {
    // No zone was ever a whole day from UTC.
    let [before, start] = [timeOf(day) - DAY_MS, timeOf(day) + DAY_MS]
    while (start - before > SECOND_MS) {
      const middle = before + Math.floor((start - before) / 2 / SECOND_MS) * SECOND_MS
      if (dayAtTime(new Date(middle).toISOString()) < day) before = middle
      else start = middle
    }
    return start
  }
}

/** Tells whether a text is a day that there is. */
export function isDay(text: unknown): text is string {
  return typeof text === 'string' && DAY.test(text) && dayAt(timeOf(text)) === text
}

export function dayAfter(day: string): string {
  return dayAt(timeOf(day) + DAY_MS)
}

/** Returns the first day of the part of a time line that a day is in. */
export function spanStart(span: Span, day: string): string {
  if (span === 'month') return `${day.slice(0, 'YYYY-MM'.length)}-01`
  if (span === 'day') return day
  const weekday = new Date(timeOf(day)).getUTCDay() || LAST_WEEKDAY
  return dayAt(timeOf(day) - (weekday - MONDAY) * DAY_MS)
}

/** Returns the day after the last one of the part of a time line that a day is in. */
export function spanEnd(span: Span, day: string): string {
  if (span === 'day') return dayAfter(day)
  if (span === 'week') return dayAt(timeOf(spanStart(span, day)) + LAST_WEEKDAY * DAY_MS)
  const start = new Date(timeOf(spanStart(span, day)))
  start.setUTCMonth(start.getUTCMonth() + 1)
  return dayAt(start.getTime())
}

/** The parts of a time line from a day on and before another, each by its first day; the first may begin before that. */
export function spansBetween(span: Span, from: string, to: string): readonly string[] {
  const starts: string[] = []
  for (let start = spanStart(span, from); start < to; start = spanEnd(span, start)) starts.push(start)
  return starts
}

/** Counts the days from one to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((timeOf(to) - timeOf(from)) / DAY_MS)
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}

function dayAt(time: number): string {
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
