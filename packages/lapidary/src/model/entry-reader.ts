import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { toAttributeValue } from './attribute-value.ts'
import type { Collection, Item } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import type { Facet } from './facet.ts'
import { attributeOfFacet, heldValue, innerParts, isComputed } from './facet-origin.ts'
import { type Each, eachOfFacet } from './facet-values.ts'
import { type NumberKind, nearestValue, toNativeValue, UnreadableNumber, unreadableIn } from './native-value.ts'
import { ownValue } from './own-value.ts'
import { unpackedAttributes } from './packed-attributes.ts'
import { isTableAttribute, LOST_NAME, PACKED_NAMES } from './reserved-names.ts'
import { type UnreadableAttribute, unreadableError } from './unreadable-item.ts'

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
  /**
   * Reads all that keys, counts and filters are made of: the unpacked part of {@link nearestItem}, or all of it where functions make values of
   * facets.
   */
  plainItem(entry: Entry): Item
  /** Returns what an entry holds of a facet, whatever it is; undefined where the item has nothing there. */
  heldValue(entry: Entry, facet: string): unknown
  /** Returns where a facet's values are stored; undefined for a computed facet, which may need all that lists show. */
  storedPlace(facet: string): StoredPlace | undefined
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

/** The stored name of an attribute, and the names of members inside of it. */
export interface StoredPlace {
  readonly name: string
  readonly inner: readonly string[]
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
  const declaredNames = [...attributeOf]
  /** Tells each value that is stored as it is, with its attribute. Pages read some hundred of them, so no lists are made on the way. */
  const eachPlain = (entry: Entry, tell: (attribute: string, value: AttributeValue) => void): void => {
    if (declared === undefined) {
      for (const [name, value] of Object.entries(entry))
        if (isOfItem(name) && !PACKED_NAMES.includes(name)) tell(name, value)
      return
    }
    for (const [name, attribute] of declaredNames) {
      const value = ownValue(entry, name)
      if (value !== undefined) tell(attribute, value)
    }
  }
  const plain = (entry: Entry, convert: Convert): Record<string, unknown> => {
    const item: Record<string, unknown> = {}
    eachPlain(entry, (attribute, value) => setOwn(item, attribute, convert(value, kinds.get(attribute))))
    return item
  }
  const packedValues = (entry: Entry): readonly (readonly [string, unknown])[] =>
    Object.entries(unpackedAttributes(collection, entry)).flatMap(([name, value]) => {
      const attribute = declared === undefined ? name : attributeOf.get(name)
      return attribute === undefined ? [] : [[attribute, value] as const]
    })
  /** The whole item, with its packed attributes. */
  const whole = (entry: Entry, convert: Convert): Item => {
    const item = plain(entry, convert)
    if (!isPacked(entry)) return item
    for (const [attribute, value] of packedValues(entry)) {
      // Numbers are packed as JavaScript numbers, where these hold them exactly.
      const kind = kinds.get(attribute)
      setOwn(item, attribute, kind === undefined ? value : convert(toAttributeValue(value), kind))
    }
    return item
  }
  const unreadable = (entry: Entry): readonly UnreadableAttribute[] => {
    const found: UnreadableAttribute[] = []
    const look = (attribute: string, value: AttributeValue): void => {
      const kind = kinds.get(attribute)
      const number = unreadableIn(value, kind)
      if (number === undefined) return
      const id = entry[storedName(collection.id)]?.S ?? entry.PK?.S ?? ''
      found.push({ id, attribute, number, declared: kind ?? null })
    }
    eachPlain(entry, look)
    if (kinds.size === 0 || !isPacked(entry)) return found
    for (const [attribute, value] of packedValues(entry))
      if (kinds.has(attribute)) look(attribute, toAttributeValue(value))
    return found
  }
  const exactly = (entry: Entry): Item => {
    try {
      return whole(entry, toNativeValue)
    } catch (error) {
      const [found] = error instanceof UnreadableNumber ? unreadable(entry) : []
      throw found === undefined ? error : unreadableError(collection, found)
    }
  }
  const facetOf = (name: string): Facet | undefined => ownValue(collection.facets, name)
  const areSomeComputed = Object.values(collection.facets).some(isComputed)
  const plainItem = (entry: Entry): Item => (areSomeComputed ? whole : plain)(entry, nearestValue)
  const storedPlace = (name: string): StoredPlace | undefined => {
    const facet = facetOf(name)
    const attribute = attributeOfFacet(name, facet)
    return attribute === undefined ? undefined : { name: storedName(attribute), inner: innerParts(facet?.origin) }
  }
  return {
    storedName,
    storedPlace,
    heldValue(entry, facet) {
      const place = storedPlace(facet)
      if (place === undefined) return heldValue(plainItem(entry), facet, facetOf(facet))
      // An entry without an attribute that is called `valueOf` has the one of every object.
      const value = ownValue(entry, place.name)
      return value === undefined
        ? undefined
        : heldValue(plain({ [place.name]: value }, nearestValue), facet, facetOf(facet))
    },
    each: (facet) => eachOfFacet(ownValue(collection.facets, facet)),
    plainItem,
    nearestItem: (entry) => whole(entry, nearestValue),
    toItem: exactly,
    unreadable,
    storedValues(entry) {
      const values = new Map<string, AttributeValue>()
      eachPlain(entry, (attribute, value) => values.set(attribute, value))
      for (const [attribute, value] of packedValues(entry)) values.set(attribute, toAttributeValue(value))
      return values
    },
    itemNames: (entry) => Object.keys(entry).filter(isOfItem),
  }
}

/** Whether an entry has something that a codec has packed. */
function isPacked(entry: Entry): boolean {
  for (const name of PACKED_NAMES) if (entry[name] !== undefined) return true
  return false
}

/** Unlike an assignment this makes `__proto__` an attribute like any. */
function setOwn(item: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') item[name] = value
  else Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true })
}
