import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { expiryEntry } from '../model/expiry.ts'
import { compareBytes, escapeComponent } from '../model/key-text.ts'
import { DUPLICATE_MARK, isTableAttribute } from '../model/reserved-names.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'

/** What the sort keys of an item's further entries begin with, beside its own. */
export const FURTHER: string = `${PRIMARY_SORT_KEY}/`

/** The sort key of the entry for some facets' values, each as {@link facetText} gives it: `~/tags.slow`. */
export function furtherSortKey(values: readonly (readonly [facet: string, value: string])[]): string {
  const sorted = values.toSorted(([a], [b]) => compareBytes(a, b))
  return FURTHER + sorted.map(([facet, value]) => `${escapeComponent(facet)}.${value}`).join('/')
}

/**
 * What a further entry holds of its item, before its keys: the named attributes, when it expires, and the mark of a duplicate.
 *
 * @param names Stored names; undefined for all that the item has.
 */
export function copiedEntry(
  collection: Collection,
  names: readonly string[] | undefined,
): (item: Item, stored: Entry) => Entry {
  const copied = copiedNames(collection, names)
  return (item, stored) => ({
    ...Object.fromEntries(Object.entries(stored).filter(([attribute]) => isCopied(attribute, copied))),
    ...expiryEntry(collection, item),
    [DUPLICATE_MARK]: { BOOL: true },
  })
}

/** With the names under which attributes are stored too while they are being renamed. */
function copiedNames(
  { attributes = {} }: Collection,
  names: readonly string[] | undefined,
): readonly string[] | undefined {
  const renamed = Object.values(attributes).filter(({ name, also }) => also !== undefined && names?.includes(name))
  return names && [...names, ...renamed.flatMap(({ also = '' }) => also)]
}

/** Keys are made anew; what other programs keep in an item is theirs. */
function isCopied(attribute: string, names: readonly string[] | undefined): boolean {
  return names === undefined ? !isTableAttribute(attribute) : names.includes(attribute)
}
