import { isTextIndex, keyAttributes } from '../../layouts/index-definition.ts'
import type { CollectionLayout } from '../../layouts/layout.ts'
import { positionText } from '../../layouts/position-text.ts'
import type { Collection } from '../../model/collection.ts'
import { type Entry, type EntryCodec, entryBytes } from '../../model/entry.ts'
import { byteLength } from '../../model/key-text.ts'
import { ownValue } from '../../model/own-value.ts'
import { positionOf } from '../../model/position.ts'

/**
 * Tells the bytes that an item takes in every list: the table's keys, the attributes that lists show and the item's position.
 * An index whose keys are texts adds their names and the text of its partition. Where indexes project everything, all of it.
 */
export function byteReader(
  collection: Collection,
  codec: EntryCodec,
  layout: Pick<CollectionLayout, 'indexes'>,
): (image: Entry) => number {
  const [index] = layout.indexes
  if (index?.include === undefined) return entryBytes
  const names = ['PK', 'SK', ...index.include]
  if (!isTextIndex(index)) {
    const all = [...names, ...keyAttributes(index).map(({ name }) => name)]
    return (image) => entryBytes(picked(image, all))
  }
  const placed = [collection.id, collection.order.attribute].map((name) => codec.storedName(name))
  return (image) => entryBytes(picked(image, names)) + positionBytes(collection, codec, picked(image, placed))
}

function picked(image: Entry, names: readonly string[]): Record<string, Entry[string]> {
  const found: Record<string, Entry[string]> = {}
  for (const name of names) {
    const value = ownValue(image, name)
    if (value !== undefined) found[name] = value
  }
  return found
}

/** An item without a position, which another program made, is counted all the same. */
function positionBytes(collection: Collection, codec: EntryCodec, image: Entry): number {
  try {
    return byteLength(positionText(collection.order, positionOf(collection, codec.plainItem(image))))
  } catch {
    return 0
  }
}
