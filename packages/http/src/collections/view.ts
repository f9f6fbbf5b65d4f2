import { type AnyCollection, type Facet, LapidaryError, shown } from 'lapidary'
import { type Access, isPersonal } from './access.ts'
import { type FacetParameters, facetParameters } from './facet-parameters.ts'
import { type ItemSchemas, itemSchemas } from './json-schema.ts'

/** A collection as one caller sees it. */
export interface View {
  /** The declaration without what is hidden: questions are checked against it, so no error tells of the rest. */
  readonly collection: AnyCollection
  readonly hidden: ReadonlySet<string>
  readonly fixed: ReadonlySet<string>
  readonly schemas: ItemSchemas
  readonly parameters: FacetParameters
}

const MOST_VIEWS = 100

/** Makes the views of a collection, one for each set of hidden and fixed attributes. */
export function createViews(collection: AnyCollection): (access: Access) => View {
  const schemas = itemSchemas(collection)
  const views = new Map<string, View>()
  return (access) => {
    const key = JSON.stringify([access.hidden, access.computed, access.fixed])
    const known = views.get(key)
    if (known !== undefined) return known
    const view = viewOf(collection, schemas, access)
    if (views.size >= MOST_VIEWS) views.clear()
    views.set(key, view)
    return view
  }
}

function viewOf(
  collection: AnyCollection,
  schemas: ItemSchemas,
  { hidden = [], computed = [], fixed = [] }: Access,
): View {
  const isHidden = new Set(hidden)
  const { name, id, scope, order, version, sums, leaderboards } = collection
  for (const needed of [id, scope.attribute, order.attribute, version]) {
    if (needed !== undefined && isHidden.has(needed))
      throw new LapidaryError(
        'declaration_invalid',
        `authorize hides ${shown(needed)} of ${name}, which is its id, its scope, its default order or its version: addresses, cursors and tags tell these; leave it out of hidden`,
      )
  }
  const isShown = (facet: string): boolean => {
    if (hidden.length === 0) return true
    if (isHidden.has(facet)) return false
    const { origin } = collection.facets[facet] as Facet
    if (origin === undefined) return true
    // A function may make its value of anything that is hidden.
    if ('of' in origin) return computed.includes(facet)
    return !isHidden.has(origin.path.split('.', 1)[0] as string)
  }
  const facets = Object.fromEntries(Object.entries(collection.facets).filter(([facet]) => isShown(facet)))
  const seen: AnyCollection = Object.freeze({
    ...collection,
    facets,
    orders: Object.fromEntries(Object.entries(collection.orders).filter(([, each]) => !isHidden.has(each.attribute))),
    sums: sums.filter((attribute) => !isHidden.has(attribute)),
    leaderboards: leaderboards.filter(
      ({ where, by }) =>
        Object.keys(where).every((facet) => Object.hasOwn(facets, facet)) &&
        (by === undefined || !isHidden.has(by.attribute)),
    ),
  })
  return Object.freeze({
    ...{ collection: seen, hidden: isHidden, fixed: new Set(fixed), schemas },
    parameters: facetParameters(seen),
  })
}

/** Tells whether a caller sees all of a collection, so that an error or a plan may tell of anything in it. */
export function seesAll({ hidden }: View): boolean {
  return hidden.size === 0
}

/** Returns how answers may be kept: by the caller alone, where another one would get another answer. */
export function cacheControl(access: Access): string {
  return isPersonal(access) ? 'private, no-cache' : 'no-cache'
}
