import type { Collection } from './collection.ts'
import type { Entry } from './entry-bytes.ts'
import type { EntryReader } from './entry-reader.ts'
import { facetAttributes, isComputed } from './facet-origin.ts'
import { orderAttributes } from './order.ts'
import { allNames } from './shown-names.ts'

/**
 * Returns the stored names of what an entry's keys are made from. A function that makes values of a facet may read any attribute, so with one
 * they are all that the entry has, and all that are declared.
 */
export function keySources(
  collection: Pick<Collection, 'id' | 'scope' | 'orders' | 'facets' | 'attributes'>,
  codec: Pick<EntryReader, 'storedName' | 'itemNames'>,
  entry: Entry,
): readonly string[] {
  const { id, scope, orders, facets } = collection
  const named = [id, scope.attribute, ...orderAttributes({ orders }), ...facetAttributes(facets)].map(codec.storedName)
  if (!Object.values(facets).some(isComputed)) return named
  return [...new Set([...named, ...(allNames(collection) ?? []), ...codec.itemNames(entry)])]
}
