import type { FacetValue, Item } from 'lapidary'

/** Where items have their values of a facet: inside an attribute that is a map, or as a text from which a function makes them. */
export type FacetPlace = 'path' | 'function'

type Placed = Readonly<Record<string, { readonly place?: FacetPlace | undefined }>>

/** Names that every object inherits, so that a value is found there only if it is the item's own. */
const INSIDE = ['constructor', 'é 😀'] as const

/** Returns the attribute in which items have a facet's values. */
export function attributeIn(name: string, place: FacetPlace | undefined): string {
  return place === undefined ? name : `${place} ${name.replaceAll('.', '-')}`
}

/** Returns the options of a facet that say where its values are. */
export function originOptions(name: string, place: FacetPlace | undefined): object {
  const attribute = attributeIn(name, place)
  if (place === 'path') return { path: [attribute, ...INSIDE].join('.') }
  if (place === 'function') return { of: (item: Item) => madeFrom(item[attribute]) }
  return {}
}

function madeFrom(text: unknown): unknown {
  return text === undefined || text === null ? null : JSON.parse(String(text))
}

/** Returns the attributes that hold values of facets, given by the facets' names: where one is undefined, its attribute is too. */
export function placedValues(facets: Placed, values: Item): Item {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const place = facets[name]?.place
      return [attributeIn(name, place), placedValue(value, place)]
    }),
  )
}

function placedValue(value: unknown, place: FacetPlace | undefined): unknown {
  if (place === undefined || value === undefined) return value
  if (place === 'function') return value === null ? null : JSON.stringify(value)
  // The parents of a value that is absent may be, too.
  const [outer, inner] = INSIDE
  return value === null ? null : { [outer]: { [inner]: value as FacetValue } }
}
