import { shown } from './errors.ts'
import type { Facet, Facets } from './facet.ts'
import { attributeOfFacet, isComputed, keySourceName } from './facet-origin.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import type { Orders } from './order.ts'
import { orderAttributes } from './order.ts'

type Item = Readonly<Record<string, unknown>>

/** The part of a declaration that names attributes. */
interface Naming {
  readonly id: string
  readonly scope: { readonly attribute: string }
  readonly facets: Facets
  readonly version?: string
  readonly updatedAt?: string
  readonly expires?: string
  readonly sums?: readonly string[]
  readonly numbers?: Readonly<Record<string, unknown>>
  readonly attributes?: Readonly<
    Record<string, string | { readonly name: string; readonly shownIn: 'list' | 'lookup' }>
  >
}

/**
 * Refuses a facet that has the name of an attribute and values from elsewhere: a filter, a range by the order and a stored item would mean
 * different things by one name.
 *
 * @throws {LapidaryError} `declaration_invalid`.
 */
export function requireOwnNames(naming: Naming, orders: Orders): void {
  const { id, scope, facets, version, updatedAt, expires, sums = [], numbers = {}, attributes = {} } = naming
  const stored = (attribute: string): string => storedName(attributes, attribute)
  const own = Object.entries(facets)
  const taken = [id, scope.attribute, ...orderAttributes({ orders }), ...sums]
  const used = [...taken, ...own.flatMap(([name, facet]) => attributeOfFacet(name, facet) ?? [])]
  const declared = new Set([...used, version, updatedAt, expires, ...Object.keys(numbers), ...Object.keys(attributes)])
  const sources = new Map(used.map((attribute) => [stored(attribute), JSON.stringify(attribute)]))
  for (const [name, facet] of own) {
    const { origin } = facet
    if (origin === undefined) continue
    const from = 'path' in origin ? `the path ${origin.path}` : 'a function'
    if ('path' in origin && origin.path === name)
      invalidDeclaration(`the facet ${name} has the path ${name}, which is its own attribute; leave path out`)
    if (declared.has(name))
      invalidDeclaration(
        `the facet ${name} has its values from ${from}, and ${name} is an attribute too; choose another name`,
      )
    // Keys would not tell what they are made from.
    const source = keySourceName(name, facet, stored)
    const made = JSON.stringify(origin)
    const other = sources.get(source)
    const isAttribute = 'path' in origin && other === JSON.stringify(origin.path)
    if (other !== undefined && other !== made && !isAttribute)
      invalidDeclaration(
        `the facet ${name} has its values from ${from}, which keys call ${shown(source)} as another; choose another name`,
      )
    if (other === undefined) sources.set(source, made)
  }
}

function storedName(attributes: NonNullable<Naming['attributes']>, attribute: string): string {
  const given = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined
  return (typeof given === 'string' ? given : given?.name) ?? attribute
}

/**
 * Returns facets whose functions see of an item what lists show: a list has nothing else of it, and an item is to have the same values
 * everywhere.
 */
export function shownOnly<F extends Facets>(facets: F, attributes: Naming['attributes'] = {}): F {
  const hidden = Object.entries(attributes).flatMap(([name, stored]) =>
    typeof stored === 'object' && stored.shownIn === 'lookup' ? [name] : [],
  )
  if (hidden.length === 0) return { ...facets }
  const withoutHidden = (item: Item): Item =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !hidden.includes(name)))
  const seen = (facet: Facet): Facet => {
    const { origin } = facet
    if (origin === undefined || !isComputed(facet) || !('of' in origin)) return facet
    const of = origin.of as (item: Item) => unknown
    return Object.freeze({
      ...facet,
      origin: Object.freeze({ ...origin, of: (item: Item) => of(withoutHidden(item)) }),
    })
  }
  return Object.fromEntries(Object.entries(facets).map(([name, facet]) => [name, seen(facet)])) as Facets as F
}
