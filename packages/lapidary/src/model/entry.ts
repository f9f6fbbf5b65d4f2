import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from './collection.ts'
import { plainDecimal } from './decimal.ts'
import type { Entry } from './entry-bytes.ts'
import { createEntryReader, type EntryReader } from './entry-reader.ts'
import { isTableAttribute } from './reserved-names.ts'
import { writtenEntry } from './written-entry.ts'

export { type Entry, entryBytes } from './entry-bytes.ts'

/** Translates between items and what is stored. */
export interface EntryCodec extends EntryReader {
  /** @param stays The stored entry. A value that reads the same as the item's is kept with all its digits. */
  toEntry(item: Item, stays?: Entry): Record<string, AttributeValue>
}

/** @param isOwn Tells whether an attribute is the table's own, and no part of an item. */
export function createEntryCodec(
  collection: Collection,
  isOwn: (name: string) => boolean = isTableAttribute,
): EntryCodec {
  return { ...createEntryReader(collection, isOwn), toEntry: (item, stays) => writtenEntry(collection, item, stays) }
}

/**
 * Writes a value as JSON that does not depend on the order of names, on the order of a set, which DynamoDB does not keep, or on how a number is
 * written.
 */
export function canonicalText(value: AttributeValue): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (name === 'N' && typeof part === 'string') return plainDecimal(part)
    if (name === 'NS' && Array.isArray(part)) return part.map(plainDecimal).toSorted()
    if (Array.isArray(part)) return name === 'SS' ? part.toSorted() : part
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
