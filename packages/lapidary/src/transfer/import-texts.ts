import type { Collection, Item } from '../model/collection.ts'
import { type InputIssue, LapidaryError } from '../model/errors.ts'
import { validItem } from '../model/stored-item.ts'

type Conversion = (text: string) => unknown

/** What each column's texts are turned into, as far as the schema has asked for it. */
export type TextConversions = Map<string, Conversion>

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

const CONVERSIONS: readonly Conversion[] = [
  (text) => (NUMBER.test(text.trim()) ? Number(text) : undefined),
  (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  (text) => (text === '' ? null : undefined),
  (text) => (text.trim() === text ? undefined : text.trim()),
]

/**
 * Converts the texts of a CSV row by what the schema takes: where it refuses a text, a number, a boolean, null or absence are
 * tried in its place, and what it took is tried first from then on. A schema that takes texts gets texts.
 *
 * @throws {LapidaryError} `unprocessable`, of the texts as they are in the file.
 */
export async function convertTexts<I>(
  collection: Collection<I>,
  texts: Readonly<Record<string, string>>,
  conversions: TextConversions,
  complete: (item: Item) => Item,
): Promise<I> {
  const item: Record<string, unknown> = {}
  const managed = managedAttributes(collection)
  for (const [name, text] of Object.entries(texts)) {
    if (text === '' && managed.has(name)) continue
    item[name] = conversions.get(name)?.(text) ?? text
  }
  let refusal = await refusalOf(collection, item, complete)
  if (!('refused' in refusal)) return refusal.item
  const first = refusal.refused
  for (const name of wrongAttributes(first)) {
    const text = texts[name]
    if (text === undefined) continue
    for (const conversion of CONVERSIONS) {
      const converted = conversion(text)
      if (converted === undefined) continue
      const attempt = await refusalOf(collection, { ...item, [name]: converted }, complete)
      if ('refused' in attempt && wrongAttributes(attempt.refused).includes(name)) continue
      if (converted !== null) conversions.set(name, conversion)
      item[name] = converted
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
