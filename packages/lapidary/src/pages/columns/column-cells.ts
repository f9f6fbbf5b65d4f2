import type { Collection, Item } from '../../model/collection.ts'
import { isDecimal, plainDecimal } from '../../model/decimal.ts'
import { type Facet, oneOf } from '../../model/facet.ts'
import { facetValuesOf } from '../../model/facet-values.ts'
import { ownValue } from '../../model/own-value.ts'
import { facetText } from '../../model/query.ts'

/** Between several values of one facet; no text of a value holds it. */
export const VALUE_SEPARATOR = '/'
const SEPARATOR = '#'

/** What a column is of: a facet, or an attribute that is added up. */
export interface ColumnFacet {
  readonly name: string
  readonly facet: Facet
}

const SUMMED: Facet = oneOf('number', { optional: true })

/** The columns of a collection, in the order of their names, so that a declaration whose facets are sorted otherwise is the same. */
export function columnFacets({ facets, sums }: Pick<Collection, 'facets' | 'sums'>): readonly ColumnFacet[] {
  return [...new Set([...Object.keys(facets), ...sums])]
    .sort()
    .map((name) => ({ name, facet: ownValue(facets, name) ?? SUMMED }))
}

/**
 * The texts of an item's values, those of each facet in its place: `en#5#slow/login`.
 *
 * @param amounts What attributes that are added up have, with all digits: facets may be made of the same attributes as numbers.
 */
export function columnCell(
  { facets }: Pick<Collection, 'facets'>,
  columns: readonly ColumnFacet[],
  item: Item,
  amounts: Item = item,
): string {
  return columns
    .map(({ name }) => {
      const facet = ownValue(facets, name)
      if (facet === undefined) return facetText(amountOf(ownValue(amounts, name)))
      return facetValuesOf(item, name, facet).map(facetText).sort().join(VALUE_SEPARATOR)
    })
    .join(SEPARATOR)
}

function amountOf(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  return typeof text === 'string' && isDecimal(text) ? plainDecimal(text) : null
}
