import type { Collection, Entry } from 'lapidary'
import {
  type CollectionLayout,
  type EntrySize,
  type Estimates,
  entryBytes,
  type List,
  LOCAL_TRUST,
  type Selection,
  selects,
} from 'lapidary/internal'
import type { Population, TypicalItem } from './population.ts'
import { indexBytes } from './write-units.ts'

/** A typical item with all its entries. */
export interface PlacedItem extends TypicalItem {
  readonly entries: readonly Entry[]
}

/** Makes the planner's estimates from the workload: shares without counts, as for a table that keeps none. */
export function listEstimates(
  collection: Collection,
  layout: CollectionLayout,
  population: Population,
  placed: readonly PlacedItem[],
): Estimates {
  const sizes = new Map<string, EntrySize>()
  return {
    basis: 'declared',
    trust: LOCAL_TRUST,
    bytes: () => undefined,
    sizeClasses: () => undefined,
    size(list) {
      const name = JSON.stringify([list.index, list.holds])
      const size = sizes.get(name) ?? listedSize(collection, layout, list, placed)
      sizes.set(name, size)
      return size
    },
    share: (selection) => population.share(selection),
    count: () => undefined,
    values: (facet) => collection.facets[facet]?.values,
    seen: (facet) => collection.facets[facet]?.values,
  }
}

/** Returns the size of the entries of a list; where none of the typical items is in it, of those of the whole index. */
function listedSize(
  { facets }: Collection,
  { indexes }: CollectionLayout,
  list: List,
  placed: readonly PlacedItem[],
): EntrySize {
  const definition = indexes.find(({ name }) => name === list.index)
  const bytesIn = ({ entries }: PlacedItem): number => {
    const held = entries.map((entry) => (definition === undefined ? entryBytes(entry) : indexBytes(entry, definition)))
    return held.find((bytes) => bytes > 0) ?? 0
  }
  const weights = (holds: Selection): readonly (readonly [bytes: number, share: number])[] =>
    placed
      .filter(({ item }) => selects(holds, item, facets))
      .map((one) => [bytesIn(one), one.share] as const)
      .filter(([bytes]) => bytes > 0)
  const own = weights(list.holds)
  const of = own.length > 0 ? own : weights({})
  const all = of.reduce((sum, [, share]) => sum + share, 0)
  const mean = of.reduce((sum, [bytes, share]) => sum + bytes * share, 0) / all
  const variance = of.reduce((sum, [bytes, share]) => sum + (bytes - mean) ** 2 * share, 0) / all
  return Object.freeze({ mean, spread: Math.sqrt(variance), doubt: 0 })
}
