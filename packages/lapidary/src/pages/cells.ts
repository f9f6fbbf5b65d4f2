import type { Collection, Item } from '../model/collection.ts'
import { facetValueOf } from '../model/facet-values.ts'
import { escapeComponent } from '../model/key-text.ts'
import { facetText, type Selection } from '../model/query.ts'

/**
 * The base lists of a scope: one for each combination of facet values, so an item is in exactly one, and every query is
 * answered by the union of some.
 */
export interface Cells {
  /** The list that an item is in: `en#5`; a facet without a value has none. */
  cellOf(item: Item): string
  /** Tells the lists whose union is a selection. */
  includes(where: Selection): (cell: string) => boolean
}

const SEPARATOR = '#'

/** Facets in the order of their names, so that a declaration whose facets are sorted otherwise is the same. */
export function cellsOf(collection: Pick<Collection, 'facets'>): Cells {
  const facets = rankedFacets(collection)
  return {
    cellOf: (item) => facets.map((facet) => facetText(facetValueOf(item, facet))).join(SEPARATOR),
    includes(where) {
      const wanted = facets.map((facet) => where[facet] && new Set(where[facet].map(facetText)))
      if (wanted.every((texts) => texts === undefined)) return () => true
      return (cell) => {
        const texts = cell.split(SEPARATOR)
        return wanted.every((set, i) => set?.has(texts[i] ?? '') ?? true)
      }
    },
  }
}

/** An item is in one cell, so those with several values an item are left out. */
function rankedFacets({ facets }: Pick<Collection, 'facets'>): readonly string[] {
  return Object.keys(facets)
    .filter((facet) => facets[facet]?.kind !== 'eachOf')
    .sort()
}

/** Whether cells answer a selection: none by a facet of which items have several values. */
export function isRanked(collection: Pick<Collection, 'facets'>, where: Selection): boolean {
  const ranked = rankedFacets(collection)
  return Object.keys(where).every((facet) => ranked.includes(facet))
}

/** What keeps the lists of one declaration apart: with other facets, cells are others. */
export function namespaceOf({ name, facets }: Pick<Collection, 'name' | 'facets'>): string {
  return `${name}(${rankedFacets({ facets }).map(escapeComponent).join(',')})`
}
