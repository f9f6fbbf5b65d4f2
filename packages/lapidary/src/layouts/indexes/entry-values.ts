import type { Item } from '../../model/collection.ts'
import type { FacetValue } from '../../model/facet.ts'
import { type Each, facetValuesOf } from '../../model/facet-values.ts'

/** The part of an index that its places are made by. */
export interface IndexFacets {
  readonly partition: readonly string[]
  readonly sort: readonly string[]
  readonly only: Readonly<Record<string, readonly FacetValue[]>>
  /** The facets of the index of which an item may have several values, by name. */
  readonly each?: Readonly<Record<string, Each>>
}

/** One place of an item in an index: a value of each of the index's facets of which the item may have several. */
export type EntryValues = Readonly<Record<string, FacetValue>>

const ONLY_PLACE: readonly EntryValues[] = Object.freeze([Object.freeze({})])

/** Returns every place that an item has in an index: one where no facet has several values, and none outside of a sparse index's condition. */
export function entryValuesOf({ partition, sort, only, each = {} }: IndexFacets, item: Item): readonly EntryValues[] {
  const valuesOf = (facet: string): readonly FacetValue[] => {
    const how = Object.hasOwn(each, facet) ? each[facet] : undefined
    const values = facetValuesOf(item, facet, how)
    return Object.hasOwn(only, facet) ? values.filter((value) => only[facet]?.includes(value)) : values
  }
  if (Object.keys(only).some((facet) => valuesOf(facet).length === 0)) return []
  const keyed = [...partition, ...sort].filter((facet) => Object.hasOwn(each, facet))
  return keyed.reduce(
    (places, facet) => places.flatMap((place) => valuesOf(facet).map((value) => ({ ...place, [facet]: value }))),
    ONLY_PLACE,
  )
}
