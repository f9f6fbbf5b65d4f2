import type { Collection, Item } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import type { EntryReader } from '../../model/entry-reader.ts'
import { shown } from '../../model/errors.ts'
import { declaredValues, type Facet, type FacetValue } from '../../model/facet.ts'
import { heldValue } from '../../model/facet-origin.ts'
import { eachOfFacet, itemProblem, listedValues } from '../../model/facet-values.ts'
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

/**
 * Tells where the image of an item counts, by some facets. It throws a TypeError for an image that no list has.
 *
 * @param codec Reads no more than is counted: a text of 10,000 characters need not be decoded.
 */
export function cellReader(
  collection: Collection,
  codec: Pick<EntryReader, 'plainItem'>,
  facets: readonly string[],
): (image: Entry) => CountedCell {
  return (image) => {
    const item = codec.plainItem(image)
    const held = new Map(facets.map((name) => [name, facetValues(collection, item, name)]))
    const values = (facet: string): readonly FacetValue[] => held.get(facet) as readonly FacetValue[]
    return { scope: scopeOf(collection, item), values, value: (facet) => values(facet)[0] as FacetValue }
  }
}

/** Of an item that lacks a facet, as one from before the facet was declared: lists without a filter have it, so totals and page numbers have it too. */
const LACKS: readonly FacetValue[] = [null]

/** By the same rules as an item is let in: a value that no list has must not become a counter, nor a text `5` the number. */
function facetValues(collection: Collection, item: Item, name: string): readonly FacetValue[] {
  const facet = ownValue(collection.facets, name)
  const value = heldValue(item, name, facet)
  const problem = facet === undefined ? 'is no facet' : itemProblem(facet, value)
  if (problem === undefined) return listedValues(value, eachOfFacet(facet))
  if (facet !== undefined && (value ?? null) === null) return LACKS
  const others = facet === undefined ? [] : withOthers(facet, value)
  if (others.length > 0) return others
  throw new TypeError(`${name} ${problem}, so the item can't be counted`)
}

/** The values of a closed facet, those that are not declared as one; none where that is not what is wrong. */
function withOthers(facet: Facet, value: unknown): readonly FacetValue[] {
  const declared = declaredValues(facet)
  if (declared === undefined) return []
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
