import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../../model/collection.ts'
import type { Entry, EntryCodec } from '../../model/entry.ts'
import { shown } from '../../model/errors.ts'
import { type FacetValue, facetValueOf, itemProblem } from '../../model/facet.ts'

/** Where an item counts: its scope, and its values of the facets. */
export interface CountedCell {
  readonly scope: string
  /** Its value of a facet that was asked for. */
  value(facet: string): FacetValue
}

/** Tells where the image of an item counts, by some facets. It throws a TypeError for an image that no list has. */
export function cellReader(
  collection: Collection,
  codec: EntryCodec,
  facets: readonly string[],
): (image: Entry) => CountedCell {
  const stored = [collection.scope.attribute, ...facets].map((name) => codec.storedName(name))
  return (image) => {
    // A text of 10,000 characters is not counted, so it need not be decoded.
    const needed: Record<string, AttributeValue> = {}
    for (const name of stored) if (image[name] !== undefined) needed[name] = image[name]
    const item = codec.toItem(needed)
    const values = new Map(facets.map((name) => [name, facetValue(collection, item, name)]))
    return { scope: scopeOf(collection, item), value: (facet) => values.get(facet) as FacetValue }
  }
}

/** By the same rules as an item is let in: a value that no list has must not become a counter, nor a text `5` the number. */
function facetValue(collection: Collection, item: Item, attribute: string): FacetValue {
  const value = item[attribute]
  const facet = collection.facets[attribute]
  const problem = facet === undefined ? 'is no facet' : itemProblem(facet, value)
  if (problem === undefined) return facetValueOf(item, attribute)
  throw new TypeError(`${attribute} ${value === undefined ? 'is missing' : problem}, so the item can't be counted`)
}

function scopeOf({ scope: { attribute } }: Collection, item: Item): string {
  const value = item[attribute]
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${attribute} is ${value === undefined ? 'missing' : shown(value)}, so the item can't be counted`)
}
