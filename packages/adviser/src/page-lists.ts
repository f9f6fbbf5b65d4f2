import type { Collection, FacetValue, PagesDeclaration, Query } from 'lapidary'
import {
  byteLength,
  eachOfFacet,
  facetValuesOf,
  isInOrder,
  isSamePages,
  knownSelection,
  numberedBy,
  orderNamed,
} from 'lapidary/internal'
import { type FirstChance, firstBySample, firstByShares } from './first-of-list.ts'
import type { Pricing } from './priced-layout.ts'
import type { ScopeShare } from './workload.ts'

/** One list of a page index, and what a batch of changes does to it, on average. */
export interface ListLoad {
  readonly items: number
  /** Changes that come at once. */
  readonly together: number
  /** New places of a batch, of which some are at the newest end, and places anywhere else that it changes. */
  readonly added: number
  readonly newest: number
  readonly others: number
  /** Bytes of an entry. */
  readonly packed: number
  /** Items of a batch that come into a list by their values: new ones, and those whose facets are edited. */
  readonly entering: number
  /** How likely one of them is the first with its values. */
  readonly isNew: number
}

/** A page index of a collection under the workload: its lists by scope, and who looks into which. */
export interface PageLists {
  readonly declared: PagesDeclaration
  /** Share of the writes that change it. */
  readonly changed: number
  /** Of those, how many are not at the newest end. */
  readonly inPlace: number
  /** Entries of an item. */
  readonly entries: number
  readonly packed: number
  /** One that has all items, of an index that is across them. */
  readonly scopes: readonly ScopeShare[]
  /** The lists that a scope's items are in. */
  lists(scope: ScopeShare): readonly ListLoad[]
  /** Lists that are looked into, with the share of the look-ups. */
  asked(scope: ScopeShare): readonly { readonly share: number; readonly list: ListLoad }[]
}

/** An entry is packed into its id with the length, the number of its list, and the time since the one before: 3 bytes up to half an hour. */
const BESIDE_ID = 5

/** Every page index of a collection: the one that each has, and those that it declares. */
export function pageListsOf(pricing: Pricing): readonly PageLists[] {
  return [{}, ...pricing.collection.pages].map((declared) => pageLists(pricing, declared))
}

function pageLists({ collection, population, workload }: Pricing, declared: PagesDeclaration): PageLists {
  const { create, delete: deletes, edit, pages, scopes, queries } = workload
  const { together } = pages
  const order = orderNamed(collection, declared.order)
  const editsOf = (isMeant: (attribute: string) => boolean): number =>
    edit.reduce((sum, [attribute, share]) => sum + (isMeant(attribute) ? share : 0), 0)
  const facets = Object.keys(collection.facets).filter((name) => eachOfFacet(collection.facets[name]) === undefined)
  const moved = editsOf((attribute) => attribute === order.attribute)
  const edited = editsOf((attribute) => attribute !== order.attribute && facets.includes(attribute))
  const kept = deletes + edited
  const changed = create + kept + moved
  // In another order than that of their coming new items have a place anywhere, and what moves has two.
  const newest = declared.order === undefined ? create : 0
  const others = create - newest + kept + 2 * moved
  const of = (share: number): number => (changed === 0 ? 0 : (together * share) / changed)
  const packed = population.items.reduce(
    (sum, { item, share }) => sum + share * byteLength(String(item[collection.id])),
    BESIDE_ID,
  )
  const isFirst = firstChance(facets, population.items, workload.items !== undefined)
  const shares = sharesOf(collection, declared, population.items)
  const all = scopes.reduce((sum, one) => sum + one.scopes * one.items, 0)
  const list = (scope: ScopeShare, share: number): ListLoad => {
    const items = scope.items * share
    const entering = of(share * (create + edited))
    const places = { added: of(share * create), newest: of(share * newest), others: of(share * others) }
    return { ...{ items, together, packed, entering, isNew: isFirst(items) }, ...places }
  }
  const wantedOf = ({ where }: Query): FacetValue | undefined =>
    declared.facet === undefined ? undefined : knownSelection(where)[declared.facet]?.[0]
  const meant = queries.filter(({ query }) => isSamePages(askedOf(collection, query), declared))
  return {
    ...{ declared, changed, packed },
    inPlace: others,
    scopes: declared.across === true ? [{ scopes: 1, items: all, reads: 1, writes: 1 }] : scopes,
    entries: [...shares.values()].reduce((sum, share) => sum + share, 0),
    lists: (scope) => [...shares.values()].map((share) => list(scope, share)),
    asked: (scope) => meant.map(({ query, share }) => ({ share, list: list(scope, shares.get(wantedOf(query)) ?? 0) })),
  }
}

/** The page index that a query needs; the first one for a query that none numbers. */
function askedOf(collection: Collection, query: Query): PagesDeclaration {
  const numbered = numberedBy(collection, query)
  return numbered.refused === undefined ? numbered.declared : {}
}

type Weighted = Pricing['population']['items']

/** Shares of the items that are in each list of a page index: one for each value of a facet, else one of all that are in the order. */
function sharesOf(
  collection: Collection,
  { order, facet }: PagesDeclaration,
  items: Weighted,
): ReadonlyMap<FacetValue | undefined, number> {
  const found = new Map<FacetValue | undefined, number>()
  for (const { item, share } of items) {
    if (!isInOrder(orderNamed(collection, order), item)) continue
    const values = facet === undefined ? [undefined] : facetValuesOf(item, facet, eachOfFacet(collection.facets[facet]))
    for (const value of values) found.set(value, (found.get(value) ?? 0) + share)
  }
  return found
}

/** Each combination of values is a list by itself, whose name is written when it has its first item. */
function firstChance(facets: readonly string[], items: Weighted, isSample: boolean): FirstChance {
  const found = new Map<string, number>()
  for (const { item, share } of items) {
    const cell = JSON.stringify(facets.map((facet) => item[facet] ?? null))
    found.set(cell, (found.get(cell) ?? 0) + (isSample ? 1 : share))
  }
  return (isSample ? firstBySample : firstByShares)([...found.values()])
}
