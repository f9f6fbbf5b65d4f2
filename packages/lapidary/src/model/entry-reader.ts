import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { toAttributeValue } from './attribute-value.ts'
import type { Collection, Item } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import { type Each, eachOfFacet } from './facet-values.ts'
import { type NumberKind, nearestValue, toNativeValue, UnreadableNumber } from './native-value.ts'
import { ownValue } from './own-value.ts'
import { unpackedAttributes } from './packed-attributes.ts'
import { isTableAttribute, LOST_NAME, PACKED_NAMES } from './reserved-names.ts'
import { type UnreadableAttribute, unreadableAttributes, unreadableError } from './unreadable-item.ts'

/** Reads items from what is stored. */
export interface EntryReader {
  /**
   * Reads the attributes of the item, without keys and whatever else the entry holds.
   *
   * @throws {LapidaryError} `table_mismatch` for a number that can't be read as the attribute is declared.
   */
  toItem(entry: Entry): Item
  /** Reads the item for a change, which leaves alone what it does not touch: a number that can't be read becomes the nearest one. */
  nearestItem(entry: Entry): Item
  /** Reads the unpacked part of {@link nearestItem}: all that keys, counts and filters are made of. */
  plainItem(entry: Entry): Item
  /** Returns the values of the item's attributes as they are stored, packed or not. */
  storedValues(entry: Entry): ReadonlyMap<string, AttributeValue>
  /** Returns the attributes that {@link toItem} can't read. */
  unreadable(entry: Entry): readonly UnreadableAttribute[]
  /** Returns the names under which an entry holds attributes of the item, packed or not. */
  itemNames(entry: Entry): readonly string[]
  /** Returns the stored name of an attribute. */
  storedName(attribute: string): string
  /** Returns how an item's values of a facet are stored, where it may have several. */
  each(facet: string): Each | undefined
}

type Convert = (value: AttributeValue, kind: NumberKind | undefined) => unknown

/** @param isOwn Tells whether an attribute is the table's own, and no part of an item. */
export function createEntryReader(
  collection: Collection,
  isOwn: (name: string) => boolean = isTableAttribute,
): EntryReader {
  const declared = collection.attributes
  const storedNames = new Map(Object.entries(declared ?? {}).map(([attribute, { name }]) => [attribute, name]))
  const attributeOf = new Map([...storedNames].map(([attribute, name]) => [name, attribute]))
  const kinds = new Map(Object.entries(collection.numbers))
  const storedName = (attribute: string): string => storedNames.get(attribute) ?? attribute
  const isOfItem = (name: string): boolean =>
    declared === undefined ? !isOwn(name) && name !== LOST_NAME : attributeOf.has(name) || PACKED_NAMES.includes(name)
  /** The unpacked values, by attribute. */
  const plainValues = (entry: Entry): readonly (readonly [string, AttributeValue])[] => {
    if (declared === undefined)
      return Object.entries(entry).filter(([name]) => isOfItem(name) && !PACKED_NAMES.includes(name))
    return [...attributeOf].flatMap(([name, attribute]) => {
      const value = ownValue(entry, name)
      return value === undefined ? [] : [[attribute, value] as const]
    })
  }
  const plain = (entry: Entry, convert: Convert): Item =>
    Object.fromEntries(plainValues(entry).map(([name, value]) => [name, convert(value, kinds.get(name))]))
  const packedValues = (entry: Entry): readonly (readonly [string, unknown])[] =>
    Object.entries(unpackedAttributes(collection, entry)).flatMap(([name, value]) => {
      const attribute = declared === undefined ? name : attributeOf.get(name)
      return attribute === undefined ? [] : [[attribute, value] as const]
    })
  const packed = (entry: Entry, convert: Convert): Item =>
    Object.fromEntries(
      packedValues(entry).map(([attribute, value]) => {
        // Numbers are packed as JavaScript numbers, where these hold them exactly.
        const kind = kinds.get(attribute)
        return [attribute, kind === undefined ? value : convert(toAttributeValue(value), kind)]
      }),
    )
  const unreadable = (entry: Entry): readonly UnreadableAttribute[] => {
    const beside =
      kinds.size === 0
        ? []
        : packedValues(entry).flatMap(([attribute, value]) =>
            kinds.has(attribute) ? [[attribute, toAttributeValue(value)] as const] : [],
          )
    const id = entry[storedName(collection.id)]?.S ?? entry.PK?.S ?? ''
    return unreadableAttributes(collection, [...plainValues(entry), ...beside], id)
  }
  const exactly = (entry: Entry): Item => {
    try {
      return { ...plain(entry, toNativeValue), ...packed(entry, toNativeValue) }
    } catch (error) {
      const [found] = error instanceof UnreadableNumber ? unreadable(entry) : []
      throw found === undefined ? error : unreadableError(collection, found)
    }
  }
  return {
    storedName,
    each: (facet) => eachOfFacet(ownValue(collection.facets, facet)),
    plainItem: (entry) => plain(entry, nearestValue),
    nearestItem: (entry) => ({ ...plain(entry, nearestValue), ...packed(entry, nearestValue) }),
    toItem: exactly,
    unreadable,
    storedValues: (entry) =>
      new Map([
        ...plainValues(entry),
        ...packedValues(entry).map(([attribute, value]) => [attribute, toAttributeValue(value)] as const),
      ]),
    itemNames: (entry) => Object.keys(entry).filter(isOfItem),
  }
}
