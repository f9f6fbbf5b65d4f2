import type { Collection, Item } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import { type Each, eachOfFacet } from './facet-values.ts'
import { toNativeValue } from './native-value.ts'
import { unpackedAttributes } from './packed-attributes.ts'
import { isTableAttribute, LOST_NAME, PACKED_NAMES } from './reserved-names.ts'

/** Reads items from what is stored. */
export interface EntryReader {
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
export function createEntryReader(
  collection: Collection,
  isOwn: (name: string) => boolean = isTableAttribute,
): EntryReader {
  const declared = collection.attributes
  const attributeOf = new Map(Object.entries(declared ?? {}).map(([attribute, { name }]) => [name, attribute]))
  const storedName = (attribute: string): string => declared?.[attribute]?.name ?? attribute
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
    toItem(entry) {
      const item = plainItem(entry)
      for (const [name, value] of Object.entries(unpackedAttributes(collection, entry))) {
        const attribute = declared === undefined ? name : attributeOf.get(name)
        if (attribute !== undefined) item[attribute] = value
      }
      return item
    },
  }
}
