import { DateTime } from 'luxon'

/** A time that was read, or why it was not. */
export type ReadTime = { readonly time: string } | { readonly problem: string }

/** Reads times as exports write them. */
export interface TimeReader {
  read(text: string): ReadTime
  /** How many times had no zone, so that the asked one counts. */
  withoutZone(): number
}

interface Pattern {
  readonly locale: string
  readonly hasZone: boolean
  readonly parser: ReturnType<typeof DateTime.buildFormatParser>
}

const pattern = (format: string, locale = 'en-US'): Pattern => ({
  locale,
  hasZone: /z/i.test(format.replaceAll(/'[^']*'/g, '')),
  parser: DateTime.buildFormatParser(format, { locale }),
})
const english = (format: string): Pattern => pattern(format)

/** Forms that mean one time each; the order of a day and a month in digits alone is nothing to guess. */
const patterns = (): readonly Pattern[] => [
  ...['yyyy/M/d', 'yyyy/M/d H:mm', 'yyyy/M/d H:mm:ss'].map(english),
  ...['MMMM d, yyyy', 'MMM d, yyyy', 'd MMMM yyyy', 'd MMM yyyy', 'd-MMM-yyyy', 'MMMM d yyyy', 'MMM d yyyy'].map(
    english,
  ),
  ...['MMM d, yyyy h:mm a', 'MMM d, yyyy, h:mm a', 'MMM d, yyyy h:mm:ss a', 'MMM d, yyyy, h:mm:ss a'].map(english),
  ...['MMMM d, yyyy h:mm a', "MMMM d, yyyy 'at' h:mm a", 'MMM d, yyyy H:mm', 'MMM d, yyyy H:mm:ss'].map(english),
  ...['EEE, d MMM yyyy', 'EEEE, MMMM d, yyyy', 'EEE MMM d yyyy', 'd MMM yyyy H:mm', 'd MMM yyyy H:mm:ss'].map(english),
  pattern('d. MMMM yyyy', 'de'),
  pattern('d MMMM yyyy', 'fr'),
  pattern('d MMMM yyyy', 'it'),
  pattern("d 'de' MMMM 'de' yyyy", 'es'),
  pattern("d 'de' MMMM 'de' yyyy", 'pt'),
  pattern('d MMMM yyyy', 'nl'),
  pattern('yyyy年M月d日', 'ja'),
]

/** What stands before the date: "Reviewed in the United States on March 3, 2021", "vom 3. März 2021". */
const LEAD = /^.*\b(?:on|vom|am|le|el|il|em|op)\s+(?=\p{L}*\s*\d|\p{L})/iu
const JAPANESE_DATE = /\d{4}年\d{1,2}月\d{1,2}日/u
/** An offset, or Z, which may stand apart, or UTC. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?))?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i
const EPOCH = /^-?\d{9,10}(\.\d+)?$|^-?\d{12,13}$/

/**
 * Makes a reader of times: in the given formats, in ISO 8601 with T or a space, in seconds or milliseconds since 1970, with the month by its name.
 *
 * @param zone The zone of times that say none.
 */
export function createTimeReader(formats: readonly string[], zone: string): TimeReader {
  let withoutZone = 0
  const asked = formats.map(english)
  const known = patterns()
  // The one that read the last time reads the next one, as a rule.
  let last: Pattern | undefined
  const byPattern = (text: string, by: Pattern): DateTime | undefined => {
    const found = DateTime.fromFormatParser(text, by.parser, { locale: by.locale, zone, setZone: true })
    if (!found.isValid) return undefined
    if (!by.hasZone) withoutZone++
    last = by
    return found
  }
  const first = (text: string, all: readonly Pattern[]): DateTime | undefined => {
    for (const each of last !== undefined && all.includes(last) ? [last, ...all] : all) {
      const found = byPattern(text, each)
      if (found !== undefined) return found
    }
    return undefined
  }
  const iso = (text: string): DateTime | undefined => {
    const [whole, date, time, given] = ISO.exec(text) ?? []
    if (whole === undefined) return undefined
    const offset = given === undefined ? '' : /^(Z|UTC|GMT)$/i.test(given) ? 'Z' : given
    if (given === undefined) withoutZone++
    const clock =
      time === undefined ? '00:00' : time.replace(',', '.').padStart(time.indexOf(':') === 1 ? time.length + 1 : 0, '0')
    return DateTime.fromISO(`${date}T${clock}${offset}`, { zone })
  }
  const read = (text: string): DateTime | undefined => {
    const own = first(text, asked)
    if (own !== undefined) return own
    if (EPOCH.test(text)) return DateTime.fromMillis(Math.round(Number(text) * (/\d{12}/.test(text) ? 1 : 1_000)))
    const byIso = iso(text) ?? rfc2822(text)
    if (byIso !== undefined) return byIso
    if (!/\p{L}|\//u.test(text)) return undefined
    return first(JAPANESE_DATE.exec(text)?.[0] ?? text.replace(LEAD, ''), known)
  }
  return {
    read(text) {
      const found = read(text.trim().replaceAll(/\s+/g, ' '))
      const time = found?.isValid === true ? found.toUTC().toISO() : null
      if (time !== null && found !== undefined && found.year >= 1 && found.year <= 9999) return { time }
      return {
        problem: found === undefined ? noTime(text) : 'is no time that there is',
      }
    },
    withoutZone: () => withoutZone,
  }
}

/** `Wed, 03 Mar 2021 10:00:00 +0100` */
function rfc2822(text: string): DateTime | undefined {
  const found = DateTime.fromRFC2822(text)
  return found.isValid ? found : undefined
}

const DIGITS = /^(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})(?:,?\s+\d{1,2}:\d{2}(:\d{2})?)?/

function noTime(text: string): string {
  const [whole, first, separator, second, year, seconds] = DIGITS.exec(text.trim()) ?? []
  if (whole !== undefined) {
    const rest = `${separator}${year?.length === 2 ? 'yy' : 'yyyy'}${whole.includes(':') ? ` H:mm${seconds === undefined ? '' : ':ss'}` : ''}`
    const formats = [`M${separator}d${rest}`, `d${separator}M${rest}`]
    const likely = Number(first) > 12 ? formats.slice(1) : Number(second) > 12 ? formats.slice(0, 1) : formats
    return `has a day and a month in an order that nothing tells; ${likely.map((format) => `--dates '${format}'`).join(' or ')} reads it`
  }
  return "is no time that can be read; it takes 2021-03-04T10:00:00Z, 2021-03-04 10:00:00, seconds or milliseconds since 1970, March 4, 2021, or another form by its format, as --dates 'MM/dd/yyyy'"
}
