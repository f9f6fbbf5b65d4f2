import type { Collection, Item } from '../model/collection.ts'
import { type InputIssue, LapidaryError } from '../model/errors.ts'
import { validItem } from '../model/stored-item.ts'
import { asRead, jsonIn } from './exact-numbers.ts'

/** Reads a text as another value; undefined where it is none. */
export type TextReading = (text: string, attribute: string) => unknown

/** What each column's cells are turned into, as far as the schema has asked for it. */
export interface TextConversions {
  readonly texts: Map<string, TextReading>
  readonly empty: Map<string, undefined | null | ''>
}

export function noConversions(): TextConversions {
  return { texts: new Map(), empty: new Map() }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

const CONVERSIONS: readonly TextReading[] = [
  (text) => (NUMBER.test(text.trim()) ? Number(text) : undefined),
  (text) => (/^-?\d+$/.test(text.trim()) ? BigInt(text) : undefined),
  (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  (text) => (text === '' ? null : undefined),
  (text) => (text.trim() === text ? undefined : text.trim()),
  (text) => jsonIn(text),
]

/** What an empty cell is taken to be, in this order; undefined is an absent attribute. */
const EMPTY = [undefined, null, ''] as const

/**
 * Converts the texts of a CSV row by what the schema takes: where it refuses a text, a number, a boolean, null, JSON or absence are
 * tried in its place, and what it took is tried first from then on. A schema that takes texts gets texts. An empty cell, without quotes,
 * is no value: the attribute is absent, else null, and an empty text only where the schema takes neither.
 *
 * @param others Values that are no texts, as JSON has them.
 * @param readings Tried after all others.
 * @throws {LapidaryError} `unprocessable`, of the texts as they are in the file.
 */
export async function convertTexts<I>(
  collection: Collection<I>,
  texts: Readonly<Record<string, string | undefined>>,
  conversions: TextConversions,
  complete: (item: Item) => Item,
  others: Item = {},
  readings: readonly TextReading[] = [],
): Promise<I> {
  const item: Record<string, unknown> = { ...others }
  const managed = managedAttributes(collection)
  const convert = (name: string, text: string, conversion: TextReading): unknown => {
    const given = conversion(text, name)
    return typeof given === 'object' ? asRead(collection, name, given).value : given
  }
  const known = (name: string, text: string): unknown => {
    const conversion = conversions.texts.get(name)
    return conversion && convert(name, text, conversion)
  }
  for (const [name, text] of Object.entries(texts)) {
    if (!text && managed.has(name)) continue
    const value = text === undefined ? conversions.empty.get(name) : (known(name, text) ?? text)
    if (value !== undefined) item[name] = value
  }
  let refusal = await refusalOf(collection, item, complete)
  if (!('refused' in refusal)) return refusal.item
  const first = refusal.refused
  for (const name of wrongAttributes(first)) {
    if (!Object.hasOwn(texts, name)) continue
    const text = texts[name]
    const takes = async (value: unknown): Promise<boolean> => {
      const attempt = await refusalOf(collection, { ...item, [name]: value }, complete)
      return !('refused' in attempt && wrongAttributes(attempt.refused).includes(name))
    }
    const candidates =
      text === undefined
        ? EMPTY.map((value) => [value, () => conversions.empty.set(name, value)] as const)
        : [...CONVERSIONS, ...readings].map(
            (conversion) => [convert(name, text, conversion), () => conversions.texts.set(name, conversion)] as const,
          )
    for (const [converted, learn] of candidates) {
      if ((converted === undefined && text !== undefined) || !(await takes(converted))) continue
      // That one text was none does not say that the next is.
      if (text === undefined || converted !== null) learn()
      if (converted === undefined) delete item[name]
      else item[name] = converted
      break
    }
    if (text === '' && item[name] === '') delete item[name]
  }
  refusal = await refusalOf(collection, item, complete)
  if ('refused' in refusal) throw refusal.refused
  return refusal.item
}

/** Empty cells of these mean: not given. */
function managedAttributes({ id, order, version, updatedAt }: Collection): ReadonlySet<string | undefined> {
  return new Set([id, order.attribute, version, updatedAt])
}

async function refusalOf<I>(
  collection: Collection<I>,
  item: Item,
  complete: (item: Item) => Item,
): Promise<{ readonly item: I } | { readonly refused: LapidaryError }> {
  try {
    return { item: await validItem(collection, complete(item)) }
  } catch (error) {
    if (error instanceof LapidaryError) return { refused: error }
    throw error
  }
}

function wrongAttributes({ details }: LapidaryError): readonly string[] {
  const { errors = [] } = details as { errors?: readonly InputIssue[] }
  return [...new Set(errors.map(({ path }) => path.split('.')[0] ?? ''))]
}
