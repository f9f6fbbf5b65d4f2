import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import type { EntryReader } from '../../model/entry-reader.ts'
import { shown } from '../../model/errors.ts'
import { declaredValues, type Facet, type FacetValue } from '../../model/facet.ts'
import { eachOfFacet, facetValuesOf, itemProblem } from '../../model/facet-values.ts'
import { ownValue } from '../../model/own-value.ts'

/** Where an item counts: its scope, and its values of the facets. */
export interface CountedCell {
  readonly scope: string
  /** Its value of a facet that was asked for; the first, where it has several. */
  value(facet: string): FacetValue
  /** Its values of a facet that was asked for. */
  values(facet: string): readonly FacetValue[]
}

/**
 * Stands for all values of a closed facet that are not declared: of an item that another program wrote, or from before a value was taken out.
 * Lists without a filter have such an item, so totals and page numbers have it too. It is no value of any facet.
 */
export const OTHER_VALUE: FacetValue = '\u0000other'

/** Tells where the image of an item counts, by some facets. It throws a TypeError for an image that no list has. */
export function cellReader(
  collection: Collection,
  codec: EntryReader,
  facets: readonly string[],
): (image: Entry) => CountedCell {
  const stored = [collection.scope.attribute, ...facets].map((name) => codec.storedName(name))
  return (image) => {
    // A text of 10,000 characters is not counted, so it need not be decoded.
    const needed: Record<string, AttributeValue> = {}
    for (const name of stored) {
      const value = ownValue(image, name)
      if (value !== undefined) needed[name] = value
    }
    const item = codec.plainItem(needed)
    const held = new Map(facets.map((name) => [name, facetValues(collection, item, name)]))
    const values = (facet: string): readonly FacetValue[] => held.get(facet) as readonly FacetValue[]
    return { scope: scopeOf(collection, item), values, value: (facet) => values(facet)[0] as FacetValue }
  }
}

/** By the same rules as an item is let in: a value that no list has must not become a counter, nor a text `5` the number. */
function facetValues(collection: Collection, item: Item, attribute: string): readonly FacetValue[] {
  const value = ownValue(item, attribute)
  const facet = ownValue(collection.facets, attribute)
  const problem = facet === undefined ? 'is no facet' : itemProblem(facet, value)
  if (problem === undefined) return facetValuesOf(item, attribute, eachOfFacet(facet))
  const others = facet === undefined ? [] : withOthers(facet, value)
  if (others.length > 0) return others
  throw new TypeError(`${attribute} ${value === undefined ? 'is missing' : problem}, so the item can't be counted`)
}

/** The values of a closed facet, those that are not declared as one; none where that is not what is wrong. */
function withOthers(facet: Facet, value: unknown): readonly FacetValue[] {
  const declared = declaredValues(facet)
  if (declared === undefined || (value ?? null) === null) return []
  const values = facet.kind === 'eachOf' ? value : [value]
  if (!Array.isArray(values)) return []
  const known = values.map((each) => (declared.includes(each as FacetValue) ? (each as FacetValue) : OTHER_VALUE))
  return known.includes(OTHER_VALUE) ? [...new Set(known)] : []
}

function scopeOf({ scope: { attribute } }: Collection, item: Item): string {
  const value = ownValue(item, attribute)
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${attribute} is ${value === undefined ? 'missing' : shown(value)}, so the item can't be counted`)
}
