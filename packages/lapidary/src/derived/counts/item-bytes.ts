import { isTextIndex, keyAttributes } from '../../layouts/index-definition.ts'
import type { CollectionLayout } from '../../layouts/layout.ts'
import { positionText } from '../../layouts/position-text.ts'
import type { Collection } from '../../model/collection.ts'
import { type Entry, entryBytes } from '../../model/entry.ts'
import { createEntryReader, type EntryReader } from '../../model/entry-reader.ts'
import { byteLength } from '../../model/key-text.ts'
import { ownValue } from '../../model/own-value.ts'
import { positionOf } from '../../model/position.ts'
import { declarationOf, type PlainDeclaration, plainDeclaration } from '../register/plain-declaration.ts'

/**
 * Which bytes an item takes in every list, as plain data: of the table's keys, the attributes that lists show and the item's position.
 * An index whose keys are texts adds their names and the text of its partition. Where indexes project everything, all of it.
 */
export interface ShownBytes {
  /** Stored names; undefined for everything. */
  readonly names?: readonly string[] | undefined
  /** What the position is made of, where that is in the keys. */
  readonly placed?: PlainDeclaration | undefined
}

export function shownBytes(collection: Collection, { indexes }: Pick<CollectionLayout, 'indexes'>): ShownBytes {
  const [index] = indexes
  if (index?.include === undefined) return {}
  const names = ['PK', 'SK', ...index.include.toSorted()]
  if (!isTextIndex(index)) return { names: [...names, ...keyAttributes(index).map(({ name }) => name)] }
  const { id, idOrder, order } = collection
  return { names, placed: plainDeclaration(collection, [], { id, idOrder, order }) }
}

/** Tells the bytes that an item takes in every list. */
export function byteReader({ names, placed }: ShownBytes): (image: Entry) => number {
  if (names === undefined) return entryBytes
  if (placed === undefined) return (image) => entryBytes(picked(image, names))
  const collection = declarationOf(placed)
  const reader = createEntryReader(collection)
  const parts = [collection.id, collection.order.attribute].map((name) => reader.storedName(name))
  return (image) => entryBytes(picked(image, names)) + positionBytes(collection, reader, picked(image, parts))
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
function positionBytes(collection: Collection, reader: EntryReader, image: Entry): number {
  try {
    return byteLength(positionText(collection.order, positionOf(collection, reader.plainItem(image))))
  } catch {
    return 0
  }
}
