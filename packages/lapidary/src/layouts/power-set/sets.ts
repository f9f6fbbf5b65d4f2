import type { Collection, Item } from '../../model/collection.ts'
import { type Facet, type FacetValue, listedFacets } from '../../model/facet.ts'
import { facetValueOf } from '../../model/facet-values.ts'
import { facetText, type Selection } from '../../model/query.ts'

/** The form of a set of values in keys: its values (`1.2.5`), or a bit for each declared value (`19`). */
export type SetKeys = 'text' | 'mask'

/** The text of every value of a facet; escaped values hold no `~`. */
const ANY = '~'
/** The text, in the key of a duplicate, of the one value that the item has. */
const OWN = '='

/** The part of list keys that one facet decides. */
export interface KeyPart {
  readonly facet: string
  /** Returns the parts for the lists in which an item lies, the one of all items first; empty where it lacks a value that a list has. */
  partsOf(item: Item): readonly ListPart[]
  /** Returns the part of the list that answers a query. */
  partFor(where: Selection): string
}

/** A part of a list's key, and of the key of the entry that lies there. */
export interface ListPart {
  readonly list: string
  readonly entry: string
}

/** Returns the parts of the keys of a collection's lists, in the order of its facets; a facet that is not listed has none. */
export function keyParts({ facets }: Pick<Collection, 'facets'>, sets: SetKeys): readonly KeyPart[] {
  return Object.entries(listedFacets(facets)).map(([name, facet]) =>
    facet.kind === 'oneOf' ? onePart(name, facet) : setPart(name, facet, sets),
  )
}

/** The part of a facet with one value, or any. The entry's key does not name the value, so that another value moves the entry to another list. */
function onePart(name: string, facet: Facet): KeyPart {
  return {
    facet: name,
    partsOf(item) {
      const value = facetValueOf(item, name, facet)
      return value === null && !facet.optional ? [] : [samePart(ANY), { list: facetText(value), entry: OWN }]
    },
    partFor(where) {
      const [value] = chosenValues(where, name) ?? []
      return value === undefined ? ANY : facetText(value)
    },
  }
}

/** The part of a facet with any set of values; the set of all values is any. */
function setPart(name: string, facet: Facet, sets: SetKeys): KeyPart {
  const { values = [] } = facet
  const all = 2 ** values.length - 1
  const text = (mask: number): string => {
    if (mask === all) return ANY
    if (sets === 'mask') return String(mask)
    return values
      .filter((_, i) => has(mask, i))
      .map(facetText)
      .join('.')
  }
  const masks = Array.from({ length: all }, (_, i) => all - i)
  const holding = values.map((_, i) => masks.filter((mask) => has(mask, i)).map((mask) => samePart(text(mask))))
  return {
    facet: name,
    partsOf: (item) => holding[values.indexOf(facetValueOf(item, name, facet))] ?? [],
    partFor(where) {
      const chosen = chosenValues(where, name)
      return chosen === undefined
        ? ANY
        : text(chosen.reduce<number>((mask, each) => mask + 2 ** values.indexOf(each), 0))
    },
  }
}

function samePart(text: string): ListPart {
  return Object.freeze({ list: text, entry: text })
}

function has(mask: number, bit: number): boolean {
  return Math.floor(mask / 2 ** bit) % 2 === 1
}

/** Returns the values that a query asks of a facet, which may have the name of an inherited member, such as `constructor`. */
function chosenValues(where: Selection, facet: string): readonly FacetValue[] | undefined {
  return Object.hasOwn(where, facet) ? where[facet] : undefined
}
