import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { toAttributeValue, toNativeValue } from './attribute-value.ts'
import type { Collection, Item } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import { unprocessable } from './errors.ts'
import { type Each, eachOfFacet, LARGEST_NUMBER, SMALLEST_NUMBER } from './facet-values.ts'
import { packedAttributes } from './packed-attributes.ts'
import { isTableAttribute, LOST_NAME, PACKED_NAMES } from './reserved-names.ts'

export { type Entry, entryBytes } from './entry-bytes.ts'

/** Translates between items and what is stored. */
export interface EntryCodec {
  toEntry(item: Item): Record<string, AttributeValue>
  /** Keys and everything else that is not an attribute of the item stay behind. */
  toItem(entry: Entry): Item
  /** Of the item what is not packed: all that keys, counts and filters are made of. */
  plainItem(entry: Entry): Item
  /** The names under which an entry holds attributes of the item, packed or not. */
  itemNames(entry: Entry): readonly string[]
  /** The stored name of an attribute. */
  storedName(attribute: string): string
  /** How an item's values of a facet are stored, where it may have several. */
  each(facet: string): Each | undefined
}

/** @param isOwn Whether an attribute is no part of an item, but the table's own. */
export function createEntryCodec(
  collection: Collection,
  isOwn: (name: string) => boolean = isTableAttribute,
): EntryCodec {
  const declared = collection.attributes
  const attributeOf = new Map(Object.entries(declared ?? {}).map(([attribute, { name }]) => [name, attribute]))
  const storedName = (attribute: string): string => declared?.[attribute]?.name ?? attribute
  const packed = packedAttributes(collection)
  const isOfItem = (name: string): boolean =>
    declared === undefined ? !isOwn(name) && name !== LOST_NAME : attributeOf.has(name) || PACKED_NAMES.includes(name)
  const plainItem = (entry: Entry): Record<string, unknown> => {
    if (declared === undefined) {
      const plain = Object.entries(entry).filter(([name]) => isOfItem(name) && !PACKED_NAMES.includes(name))
      return Object.fromEntries(plain.map(([name, value]) => [name, toNativeValue(value)]))
    }
    const item: Record<string, unknown> = {}
    for (const [name, attribute] of attributeOf) {
      const value = entry[name]
      if (value !== undefined) item[attribute] = toNativeValue(value)
    }
    return item
  }
  return {
    storedName,
    each: (facet) => eachOfFacet(Object.hasOwn(collection.facets, facet) ? collection.facets[facet] : undefined),
    plainItem,
    itemNames: (entry) => Object.keys(entry).filter(isOfItem),
    toEntry(item) {
      const entry: Record<string, AttributeValue> = {}
      for (const [attribute, value] of Object.entries(item)) {
        if (value === undefined) continue
        const stored = attributeValue(attribute, value)
        entry[storedName(attribute)] = stored
        const also = declared?.[attribute]?.also
        if (also !== undefined) entry[also] = stored
      }
      return packed.pack(entry)
    },
    toItem(entry) {
      const item = plainItem(entry)
      for (const [name, value] of Object.entries(packed.unpack(entry))) {
        const attribute = declared === undefined ? name : attributeOf.get(name)
        if (attribute !== undefined) item[attribute] = value
      }
      return item
    },
  }
}

const MOST_DIGITS = 38

function attributeValue(attribute: string, value: unknown): AttributeValue {
  if (
    typeof value === 'number' &&
    value !== 0 &&
    !(Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= LARGEST_NUMBER)
  ) {
    throw unprocessable('the item was refused', [
      {
        path: attribute,
        message: `must be 0 or a number from ${SMALLEST_NUMBER} to ${LARGEST_NUMBER} either side of it, not ${value}`,
      },
    ])
  }
  if (typeof value === 'bigint' && `${value}`.length > MOST_DIGITS) {
    throw unprocessable('the item was refused', [{ path: attribute, message: `has more than ${MOST_DIGITS} digits` }])
  }
  try {
    return toAttributeValue(value)
  } catch (error) {
    const message = `can't be stored: ${error instanceof Error ? error.message : String(error)}`
    throw unprocessable('the item was refused', [{ path: attribute, message }])
  }
}

/** JSON that does not depend on the order of names, nor on that of a set, which DynamoDB does not keep. */
export function canonicalText(value: AttributeValue): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (Array.isArray(part)) return name === 'SS' || name === 'NS' ? part.toSorted() : part
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
