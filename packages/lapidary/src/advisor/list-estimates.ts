import type { CollectionLayout, List } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { type Entry, entryBytes } from '../model/entry.ts'
import { type Selection, selects } from '../model/query.ts'
import type { EntrySize } from '../planner/entry-size.ts'
import { type Estimates, LOCAL_TRUST } from '../planner/estimates.ts'
import type { Population, TypicalItem } from './population.ts'
import { indexBytes } from './write-units.ts'

/** A typical item with all its entries. */
export interface PlacedItem extends TypicalItem {
  readonly entries: readonly Entry[]
}

/**
 * Lists of one kind are longer in one scope than in another, and what a short one costs goes by steps. So pages of short lists are priced on
 * lists that deviate from their mean length by so many standard deviations, with these weights (Gauss and Hermite, of five points).
 */
export const DEVIATIONS: readonly (readonly [deviations: number, share: number])[] = [
  [-2.857, 0.01126],
  [-1.3556, 0.22207],
  [0, 0.53334],
  [1.3556, 0.22207],
  [2.857, 0.01126],
]

/** What plans are priced on for a scope of so many items, whose lists are as many standard deviations longer than on average. */
export type ScopeEstimates = (deviations: number) => Estimates

/** The planner's own estimates, from the workload. */
export function listEstimates(
  collection: Collection,
  layout: CollectionLayout,
  population: Population,
  placed: readonly PlacedItem[],
  items: number,
): ScopeEstimates {
  const sizes = new Map<string, EntrySize>()
  return (deviations) => estimatesOf(collection, layout, population, placed, { items, deviations, sizes })
}

interface ScopeLists {
  readonly items: number
  readonly deviations: number
  readonly sizes: Map<string, EntrySize>
}

function estimatesOf(
  collection: Collection,
  layout: CollectionLayout,
  population: Population,
  placed: readonly PlacedItem[],
  { items, deviations, sizes }: ScopeLists,
): Estimates {
  return {
    basis: 'statistics',
    trust: LOCAL_TRUST,
    bytes: () => undefined,
    sizeClasses: () => undefined,
    size(list) {
      const name = JSON.stringify([list.index, list.holds])
      const size = sizes.get(name) ?? sizeOf(collection, layout, list, placed)
      sizes.set(name, size)
      return size
    },
    share: (selection) => population.share(selection),
    // A list that is hardly ever filled is read all the same.
    count(selection) {
      const share = population.share(selection)
      return Math.max(1, Math.round(items * share + deviations * Math.sqrt(items * share * (1 - share))))
    },
    values: (facet) => collection.facets[facet]?.values,
  }
}

/** Of the entries that a list would hold; where none of the typical items is in it, of those of the whole index. */
function sizeOf(
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
