import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { expiryEntry } from '../model/expiry.ts'
import { compareBytes, escapeComponent } from '../model/key-text.ts'
import { DUPLICATE_MARK, isTableAttribute } from '../model/reserved-names.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'

/** The prefix of the sort keys of an item's further entries. */
export const FURTHER: string = `${PRIMARY_SORT_KEY}/`

/** Returns the sort key of the entry for some facets' values, each as {@link facetText} gives it: `~/tags.slow`. */
export function furtherSortKey(values: readonly (readonly [facet: string, value: string])[]): string {
  const sorted = values.toSorted(([a], [b]) => compareBytes(a, b))
  return FURTHER + sorted.map(([facet, value]) => `${escapeComponent(facet)}.${value}`).join('/')
}

/**
 * Returns what a further entry copies from its item, before its keys: the named attributes, the expiry, and the mark of a duplicate.
 *
 * @param names Stored names; undefined for all attributes of the item.
 */
export function copiedEntry(
  collection: Collection,
  names: readonly string[] | undefined,
): (item: Item, stored: Entry) => Entry {
  const copied = copiedNames(collection, names)
  return (item, stored) => ({
    ...Object.fromEntries(Object.entries(stored).filter(([attribute]) => isCopiedAttribute(attribute, copied))),
    ...expiryEntry(collection, item),
    [DUPLICATE_MARK]: { BOOL: true },
  })
}

/** Adds the second names under which attributes are stored while they are being renamed. */
function copiedNames(
  { attributes = {} }: Collection,
  names: readonly string[] | undefined,
): readonly string[] | undefined {
  const renamed = Object.values(attributes).filter(({ name, also }) => also !== undefined && names?.includes(name))
  return names && [...names, ...renamed.flatMap(({ also = '' }) => also)]
}

/** Tells whether a further entry copies an attribute: keys are made anew, and what other programs keep in an item is theirs. */
function isCopiedAttribute(attribute: string, names: readonly string[] | undefined): boolean {
  return names === undefined ? !isTableAttribute(attribute) : names.includes(attribute)
}
