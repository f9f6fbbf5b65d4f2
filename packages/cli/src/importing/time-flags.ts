import { UsageError } from '../options.ts'

/** @throws {UsageError} for a zone that does not exist. */
export function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    // It is told below.
  }
  throw new UsageError(
    `--zone ${JSON.stringify(zone)} is no time zone; there are such as Europe/Berlin, America/New_York and UTC`,
  )
}

/** What a format of a date is made of, beside texts in quotes; `yyyy-MM-dd HH:mm:ss` for one. */
const PARTS = { y: 'a year (yyyy)', M: 'a month (MM)', d: 'a day (dd)' } as const
/** A letter that is no token, or a quote without its other. */
const OTHER = /(?![yMLdEcHhmsSuaZzG])\p{L}|'/u

/** @throws {UsageError} for a format of which no date can be read. */
export function knownDates(format: string): string {
  const plain = format.replaceAll(/'[^']*'/g, '')
  const lacking = Object.entries(PARTS).find(([token]) => !plain.replaceAll('L', 'M').includes(token))
  if (lacking === undefined && !OTHER.test(plain)) return format
  throw new UsageError(
    `--dates ${JSON.stringify(format)} ${lacking === undefined ? 'has letters that stand for no part of a date' : `has no place for ${lacking[1]}`}; write it as MM/dd/yyyy, dd.MM.yyyy HH:mm or d MMM yyyy, with texts in it in single quotes`,
  )
}
