import type { Item } from '../../model/collection.ts'
import type { FacetValue } from '../../model/facet.ts'
import { type Each, listedValues } from '../../model/facet-values.ts'
import { ownValue } from '../../model/own-value.ts'

/** The part of an index that decides which entries an item has in it. */
export interface IndexFacets {
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  readonly only: Readonly<Record<string, readonly FacetValue[]>>
  /** The facets of the index of which an item may have several values, by name. */
  readonly each?: Readonly<Record<string, Each>>
}

/** The values by which one entry of an item is in an index: one of each of the index's facets of which the item may have several. */
export type EntryValues = Readonly<Record<string, FacetValue>>

const ONE_ENTRY: readonly EntryValues[] = Object.freeze([Object.freeze({})])

/**
 * Returns the values of every entry that an item has in an index: one entry where no facet has several values, and none outside of a sparse
 * index's condition.
 *
 * @param item The item with its values of facets under the names that the index has for them.
 */
export function entryValuesOf({ partition, sort, only, each = {} }: IndexFacets, item: Item): readonly EntryValues[] {
  const valuesOf = (facet: string): readonly FacetValue[] => {
    const how = Object.hasOwn(each, facet) ? each[facet] : undefined
    const values = listedValues(ownValue(item, facet), how)
    return Object.hasOwn(only, facet) ? values.filter((value) => only[facet]?.includes(value)) : values
  }
  if (Object.keys(only).some((facet) => valuesOf(facet).length === 0)) return []
  const keyed = [...partition, ...sort].filter((facet) => Object.hasOwn(each, facet))
  return keyed.reduce(
    (entries, facet) => entries.flatMap((values) => valuesOf(facet).map((value) => ({ ...values, [facet]: value }))),
    ONE_ENTRY,
  )
}
