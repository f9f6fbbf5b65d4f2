import { keyNamesOf } from '../layouts/index-definition.ts'
import type { List } from '../layouts/layout.ts'
import type { Item, StoredAttribute } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { shown, unprocessable } from '../model/errors.ts'
import { isReservedName, PACKED_NAMES } from '../model/reserved-names.ts'
import type { ReadContext } from './context.ts'

/** Which attributes of items are given. `K`: their names. */
export interface AttributesOption<K extends PropertyKey = string> {
  /**
   * Only these attributes of each item; all that lists show, or a look-up, when not given. It spares bytes on the way, not capacity:
   * DynamoDB charges for the whole of what it reads.
   */
  readonly attributes?: readonly K[] | undefined
}

/** An item of which attributes were chosen; the item itself where all were. */
export type Chosen<I, K extends keyof I> = [keyof I] extends [K] ? I : Pick<I, K>

/** Chosen attributes, as reads need them. */
export interface ChosenAttributes {
  /** Stored names to read of an entry in the table, keys included. */
  readonly stored: readonly string[]
  /** The same of an entry of a list: what tells its position comes with it. Undefined for all, where a computed facet is judged. */
  storedIn(list: List): readonly string[] | undefined
  toItem(entry: Entry): Item
}

const TABLE_KEYS = ['PK', 'SK']

/**
 * The attributes that were chosen; undefined for all.
 *
 * @param judged Facets whose values are read too, since what is read is judged by them.
 * @throws {LapidaryError} `unprocessable` for what is no attribute, and for one that only a look-up shows.
 */
export function chosenAttributes(
  { collection, codec, layout }: ReadContext,
  attributes: readonly PropertyKey[] | undefined,
  shownIn: StoredAttribute['shownIn'],
  judged: readonly string[] = [],
): ChosenAttributes | undefined {
  if (attributes === undefined) return undefined
  const declared = collection.attributes
  const problemOf = (name: unknown): string | undefined => {
    if (typeof name !== 'string' || name === '') return `must name attributes, not ${shown(name)}`
    if (declared === undefined) return isReservedName(name) ? `has ${shown(name)}, which no attribute has` : undefined
    const stored = Object.hasOwn(declared, name) ? declared[name] : undefined
    if (stored === undefined) return `has ${shown(name)}, which is no attribute`
    return stored.shownIn === 'lookup' && shownIn === 'list' ? `has ${name}, which only get shows` : undefined
  }
  const given = Array.isArray(attributes) && attributes.length > 0 ? attributes : [undefined]
  const problem = given.map(problemOf).find((found) => found !== undefined)
  if (problem !== undefined)
    throw unprocessable('the attributes were refused', [{ path: 'attributes', message: problem }])
  const names = [...new Set(attributes as readonly string[])]
  const { expires } = collection
  const places = judged.map((facet) => codec.storedPlace(facet)?.name)
  const read = [...names, ...(expires === undefined ? [] : [expires])].map((name) => codec.storedName(name))
  const packed = collection.codec === undefined ? [] : PACKED_NAMES
  const stored = [...new Set([...TABLE_KEYS, ...read, ...places.filter((name) => name !== undefined), ...packed])]
  return {
    stored,
    storedIn(list) {
      if (places.includes(undefined)) return undefined
      const keys = keyNamesOf(layout.indexes, list.index)
      return [...new Set([...stored, ...keys, ...(layout.membership?.names(list) ?? [])])]
    },
    toItem(entry) {
      const item = codec.toItem(entry)
      return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]]] : [])))
    },
  }
}
