import type { Layout } from '../layouts/layout.ts'
import type { Collection, Item } from '../model/collection.ts'
import { byteLength } from '../model/key-text.ts'
import { positionOf } from '../model/position.ts'
import { type Entry, entryBytes } from '../table/entry.ts'

/**
 * Bytes that an item takes in every list: the table's keys, the attributes that lists show and the item's position. An
 * index adds the names of its own keys and the text of its partition. Where indexes project everything, all of it.
 *
 * @param item What the entry says, as far as its position goes.
 */
export function itemBytes(collection: Collection, layout: Layout, entry: Entry, item: Item): number {
  const include = layout.indexes[0]?.include
  if (include === undefined) return entryBytes(entry)
  const shown: Record<string, Entry[string]> = {}
  for (const name of ['PK', 'SK', ...include]) if (entry[name] !== undefined) shown[name] = entry[name]
  return entryBytes(shown) + positionBytes(collection, item)
}

/** An item without a position, which another program made, is counted all the same. */
function positionBytes(collection: Collection, item: Item): number {
  try {
    return byteLength(positionOf(collection, item))
  } catch {
    return 0
  }
}
