import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb'
import type { Collection, Item } from './collection.ts'
import { unprocessable } from './errors.ts'
import { LARGEST_NUMBER, SMALLEST_NUMBER } from './facet.ts'
import { isTableAttribute } from './reserved-names.ts'

/** An item as DynamoDB holds it: attribute values under stored names. */
export type Entry = Readonly<Record<string, AttributeValue>>

/** Translates between items and what is stored. */
export interface EntryCodec {
  toEntry(item: Item): Record<string, AttributeValue>
  /** Keys and everything else that is not an attribute of the item stay behind. */
  toItem(entry: Entry): Item
  /** The stored name of an attribute. */
  storedName(attribute: string): string
}

/** @param isOwn Whether an attribute is no part of an item, but the table's own. */
export function createEntryCodec(
  collection: Collection,
  isOwn: (name: string) => boolean = isTableAttribute,
): EntryCodec {
  const declared = collection.attributes
  const attributeOf = new Map(Object.entries(declared ?? {}).map(([attribute, { name }]) => [name, attribute]))
  const storedName = (attribute: string): string => declared?.[attribute]?.name ?? attribute
  return {
    storedName,
    toEntry(item) {
      const entry: Record<string, AttributeValue> = {}
      for (const [attribute, value] of Object.entries(item)) {
        if (value === undefined) continue
        const stored = attributeValue(attribute, value)
        entry[storedName(attribute)] = stored
        const also = declared?.[attribute]?.also
        if (also !== undefined) entry[also] = stored
      }
      return entry
    },
    toItem(entry) {
      const item: Record<string, unknown> = {}
      if (declared === undefined) {
        for (const [name, value] of Object.entries(entry)) {
          if (!isOwn(name)) item[name] = convertToNative(value)
        }
        return item
      }
      for (const [name, attribute] of attributeOf) {
        const value = entry[name]
        if (value !== undefined) item[attribute] = convertToNative(value)
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
    return convertToAttr(value, { removeUndefinedValues: true })
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

/**
 * Bytes of an entry as DynamoDB counts them: names and texts in UTF-8, numbers about a byte for two digits plus one,
 * lists and maps three bytes and one for each element (AWS Developer Guide, "Item sizes and formats").
 */
export function entryBytes(entry: Entry): number {
  let bytes = 0
  for (const name in entry) bytes += Buffer.byteLength(name) + valueBytes(entry[name])
  return bytes
}

function valueBytes(value: AttributeValue | undefined): number {
  if (value === undefined) return 0
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return Math.ceil(value.N.replace(/[-.]/g, '').length / 2) + 1
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1
  if (value.B !== undefined) return value.B.byteLength
  if (value.L !== undefined) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3)
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + entryBytes(value.M)
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (value.NS !== undefined) return value.NS.reduce((sum, digits) => sum + valueBytes({ N: digits }), 0)
  if (value.BS !== undefined) return value.BS.reduce((sum, bytes) => sum + bytes.byteLength, 0)
  return 0
}
