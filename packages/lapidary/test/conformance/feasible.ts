import { LapidaryError, type Layout, nativeKeys } from 'lapidary'
import { type CollectionCase, collectionOf } from 'lapidary-testing'

/** Tells whether a layout takes a collection; the refusal of others is tested beside the layout. */
export function isFeasible(layout: Layout, made: CollectionCase): boolean {
  if (layout.name === 'native-keys') return canBeKeys(made)
  return layout.capabilities.declaredIndexes || isTaken(layout, made, undefined)
}

/** Tells whether native keys take a collection, and what its items hold: no empty text can be a key. */
export function canBeKeys(made: CollectionCase): boolean {
  const values: readonly unknown[] = [
    ...made.orderValues,
    ...(made.rank?.values ?? []),
    ...Object.values(made.facets).flatMap((facet) => facet.values),
  ]
  if (made.idOrder !== 'raw' || values.includes('')) return false
  return [made.indexes, made.otherIndexes].every((indexes) => isTaken(nativeKeys(), made, indexes))
}

function isTaken(layout: Layout, made: CollectionCase, indexes: Parameters<typeof collectionOf>[1]): boolean {
  try {
    return layout.of(collectionOf(made, indexes)).indexes.length > 0
  } catch (error) {
    if (error instanceof LapidaryError) return false
    throw error
  }
}
