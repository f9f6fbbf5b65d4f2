import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from './collection.ts'
import { createEntryReader, type EntryReader } from './entry-reader.ts'
import { isTableAttribute } from './reserved-names.ts'
import { writtenEntry } from './written-entry.ts'

export { type Entry, entryBytes } from './entry-bytes.ts'

/** Translates between items and what is stored. */
export interface EntryCodec extends EntryReader {
  toEntry(item: Item): Record<string, AttributeValue>
}

/** @param isOwn Whether an attribute is no part of an item, but the table's own. */
export function createEntryCodec(
  collection: Collection,
  isOwn: (name: string) => boolean = isTableAttribute,
): EntryCodec {
  return { ...createEntryReader(collection, isOwn), toEntry: (item) => writtenEntry(collection, item) }
}

/** JSON that does not depend on the order of names, nor on that of a set, which DynamoDB does not keep. */
export function canonicalText(value: AttributeValue): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (Array.isArray(part)) return name === 'SS' || name === 'NS' ? part.toSorted() : part
    if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
