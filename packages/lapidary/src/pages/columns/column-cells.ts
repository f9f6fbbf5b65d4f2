import type { Collection, Item } from '../../model/collection.ts'
import { eachOfFacet, facetValuesOf } from '../../model/facet-values.ts'
import { facetText } from '../../model/query.ts'

/** Between several values of one facet; no text of a value holds it. */
export const VALUE_SEPARATOR = '/'
const SEPARATOR = '#'

/** The facets that have a column, in the order of their names, so that a declaration whose facets are sorted otherwise is the same. */
export function columnFacets({ facets }: Pick<Collection, 'facets'>): readonly string[] {
  return Object.keys(facets).sort()
}

/** The texts of an item's values, those of each facet in its place: `en#5#slow/login`. */
export function columnCell({ facets }: Pick<Collection, 'facets'>, item: Item): string {
  return columnFacets({ facets })
    .map((name) => facetValuesOf(item, name, eachOfFacet(facets[name])).map(facetText).sort().join(VALUE_SEPARATOR))
    .join(SEPARATOR)
}
