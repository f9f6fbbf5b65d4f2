import type { AnyCollection } from 'lapidary'

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Returns a time of ISO 8601 to the millisecond in UTC, as the table has it; undefined for what is none. */
export function utcTime(text: string): string | undefined {
  // A time without a zone is UTC, whatever the zone of this process.
  const isLocal = text.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(text)
  const time = TIME.test(text) ? Date.parse(isLocal ? `${text}Z` : text) : Number.NaN
  const iso = Number.isNaN(time) ? undefined : new Date(time).toISOString()
  // Years beyond four digits do not sort as texts.
  return iso?.length === 24 ? iso : undefined
}

/** Returns the attributes that hold times by the declaration: those of orders, and the expiry. */
export function timeAttributes({ orders, expires }: AnyCollection): readonly string[] {
  const ordered = Object.values(orders).flatMap(({ attribute, type }) => (type === 'time' ? [attribute] : []))
  return expires === undefined ? ordered : [...new Set([...ordered, expires])]
}
