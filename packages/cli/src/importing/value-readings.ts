import type { AnyCollection } from 'lapidary'
import type { TextReading } from 'lapidary/transfer'
import { readLanguage } from './read-language.ts'
import { readNumber } from './read-number.ts'
import { createTimeReader } from './read-time.ts'

/** How values of a file are read. */
export interface ReadingOptions {
  readonly dates: readonly string[]
  /** The zone of times that say none; UTC when not given. */
  readonly zone: string | undefined
  /** Whether times are read before the schema sees them: a date in digits could mean another day to it. */
  readonly timesFirst: boolean
  /** Whether languages are: to a schema of tags, English is one. */
  readonly languagesFirst: boolean
}

/** Reads the texts of an import by what their attributes hold. */
export interface ValueReadings {
  /** Reads a text before the schema sees it; also a time that is a number of JSON. */
  before(attribute: string, value: unknown): unknown
  /** Ways to read a text that the schema refuses. */
  readonly afterRefusal: readonly TextReading[]
  /** Says what else would be taken in the place of a text that was refused; empty where the schema says all. */
  hint(attribute: string, text: string): string
  /** How many times were read that say no zone. */
  withoutZone(): number
}

const LANGUAGE = /^(lang|language|locale)(_?(code|tag))?$/i

/** Makes the readings of a collection: its times, its languages, and numbers wherever the schema wants one. */
export async function valueReadings(
  collection: AnyCollection,
  { dates, zone = 'UTC', timesFirst, languagesFirst }: ReadingOptions,
): Promise<ValueReadings> {
  const times = createTimeReader(dates, zone)
  const timed = timeAttributes(collection)
  const asTime = new Set<string>()
  for (const name of timesFirst ? timed : [])
    if (await takes(collection, name, '2021-03-04T10:00:00.000Z')) asTime.add(name)
  const readTime = (text: string): string | undefined => {
    const read = times.read(text)
    return 'time' in read ? read.time : undefined
  }
  return {
    before(attribute, value) {
      const text = typeof value === 'number' && timed.has(attribute) ? String(value) : value
      if (typeof text !== 'string' || text === '') return value
      if (asTime.has(attribute)) return readTime(text) ?? text
      return languagesFirst && LANGUAGE.test(attribute) ? languageFor(collection, attribute, text) : text
    },
    afterRefusal: [
      (text, attribute) => readNumber(text, scaleOf(collection, attribute)),
      (text, attribute) => (timed.has(attribute) || /^\d{4}-\d\d-\d\d/.test(text.trim()) ? readTime(text) : undefined),
      (text, attribute) => (LANGUAGE.test(attribute) ? readLanguage(text) : undefined),
    ],
    hint(attribute, text) {
      const time = timed.has(attribute) ? times.read(text) : undefined
      if (time !== undefined) return 'problem' in time ? time.problem : ''
      const values = declaredValues(collection, attribute)
      if (values === undefined) return ''
      const words = `it takes ${values.join(', ')}`
      const scale = scaleOf(collection, attribute)
      return typeof scale === 'number'
        ? `${words}, also as "${scale}.0 out of ${scale}", ${scale}/${scale} or ${'★'.repeat(scale)}`
        : words
    },
    withoutZone: times.withoutZone,
  }
}

function timeAttributes({ orders, updatedAt }: AnyCollection): ReadonlySet<string> {
  const timed = Object.values(orders).flatMap((order) => (order.type === 'time' ? [String(order.attribute)] : []))
  return new Set([...timed, ...(updatedAt === undefined ? [] : [String(updatedAt)])])
}

/** A collection whose languages are names keeps them. */
function languageFor(collection: AnyCollection, attribute: string, text: string): string {
  const values = declaredValues(collection, attribute)
  const tag = values?.includes(text) === true ? undefined : readLanguage(text)
  return tag ?? text
}

function declaredValues({ facets }: AnyCollection, attribute: string): readonly unknown[] | undefined {
  const facet = Object.hasOwn(facets, attribute) ? facets[attribute] : undefined
  return facet !== undefined && 'values' in facet ? facet.values : undefined
}

const RATING = /^(star_?)?(rating|score|stars)$/i
/** Ratings go to 5 or 10; a facet of years goes further. */
const MOST_STARS = 10

/** Returns the highest rating, by the declared values; undefined for what is no rating. */
function scaleOf(collection: AnyCollection, attribute: string): number | 'any' | undefined {
  const values = declaredValues(collection, attribute)
  if (values === undefined) return RATING.test(attribute) ? 'any' : undefined
  const most = Math.max(...values.map((value) => (typeof value === 'number' ? value : Number.NaN)))
  return most <= MOST_STARS ? most : undefined
}

/** Asks the schema whether an attribute may have a value. */
async function takes({ schema }: AnyCollection, attribute: string, value: unknown): Promise<boolean> {
  try {
    const { issues = [] } = await schema['~standard'].validate({ [attribute]: value })
    return issues.every(({ path }) => {
      const [part] = path ?? []
      return (typeof part === 'object' ? part.key : part) !== attribute
    })
  } catch {
    return false
  }
}
