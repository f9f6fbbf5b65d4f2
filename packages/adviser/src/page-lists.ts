import type { Collection, FacetValue, PagesDeclaration, Query } from 'lapidary'
import {
  byteLength,
  eachOfFacet,
  facetValueOf,
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

/** One list of a page index, and the mean effect of a batch of changes on it. */
export interface ListLoad {
  readonly items: number
  /** How many changes come at once. */
  readonly together: number
  /** How many positions a batch adds or changes: some at the newest end, others anywhere else. */
  readonly added: number
  readonly newest: number
  readonly others: number
  /** Packed bytes of an entry. */
  readonly packed: number
  /** Items of a batch that enter a list by their values: new ones, and those whose facets are edited. */
  readonly entering: number
  /** The chance that such an item is the first with its values. */
  readonly isNew: number
}

/** A page index of a collection under the workload: its lists by scope, and which of them are asked. */
export interface PageLists {
  readonly declared: PagesDeclaration
  /** The share of writes that change it. */
  readonly changed: number
  /** The share of those that are not at the newest end. */
  readonly inPlace: number
  /** Entries of each item. */
  readonly entries: number
  readonly packed: number
  /** The scopes; a single one that has all items, for an index across scopes. */
  readonly scopes: readonly ScopeShare[]
  /** Returns the lists that a scope's items are in. */
  lists(scope: ScopeShare): readonly ListLoad[]
  /** Returns the lists that are looked up, with the share of the look-ups. */
  asked(scope: ScopeShare): readonly { readonly share: number; readonly list: ListLoad }[]
}

/** Bytes of a packed entry beside its id: the length, the number of its list, and the time since the entry before, 3 bytes up to half an hour. */
const BESIDE_ID = 5

/** Returns every page index of a collection: the one that each has, and those that it declares. */
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
  // In an order that is not by time of creation, new items come anywhere, and a moved item changes two positions.
  const newest = declared.order === undefined ? create : 0
  const others = create - newest + kept + 2 * moved
  const of = (share: number): number => (changed === 0 ? 0 : (together * share) / changed)
  const packed = population.items.reduce(
    (sum, { item, share }) => sum + share * byteLength(String(item[collection.id])),
    BESIDE_ID,
  )
  const isFirst = firstChance(collection, facets, population.items, workload.items !== undefined)
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
  const meant = queries.filter(({ query }) => isSamePages(pageIndexFor(collection, query), declared))
  return {
    ...{ declared, changed, packed },
    inPlace: others,
    scopes: declared.across === true ? [{ scopes: 1, items: all, reads: 1, writes: 1 }] : scopes,
    entries: [...shares.values()].reduce((sum, share) => sum + share, 0),
    lists: (scope) => [...shares.values()].map((share) => list(scope, share)),
    asked: (scope) => meant.map(({ query, share }) => ({ share, list: list(scope, shares.get(wantedOf(query)) ?? 0) })),
  }
}

/** Returns the page index that a query needs; the first one where no page index has its numbers. */
function pageIndexFor(collection: Collection, query: Query): PagesDeclaration {
  const numbered = numberedBy(collection, query)
  return numbered.refused === undefined ? numbered.declared : {}
}

type Weighted = Pricing['population']['items']

/** Returns the share of items in each list of a page index: a list for each value of a facet, else one list of all items in the order. */
function sharesOf(
  collection: Collection,
  { order, facet }: PagesDeclaration,
  items: Weighted,
): ReadonlyMap<FacetValue | undefined, number> {
  const found = new Map<FacetValue | undefined, number>()
  for (const { item, share } of items) {
    if (!isInOrder(orderNamed(collection, order), item)) continue
    const values = facet === undefined ? [undefined] : facetValuesOf(item, facet, collection.facets[facet])
    for (const value of values) found.set(value, (found.get(value) ?? 0) + share)
  }
  return found
}

/** Returns the chance that an item begins a list: each combination of values is a list, whose name is written with its first item. */
function firstChance(
  { facets: declared }: Collection,
  facets: readonly string[],
  items: Weighted,
  isSample: boolean,
): FirstChance {
  const found = new Map<string, number>()
  for (const { item, share } of items) {
    const cell = JSON.stringify(facets.map((facet) => facetValueOf(item, facet, declared[facet])))
    found.set(cell, (found.get(cell) ?? 0) + (isSample ? 1 : share))
  }
  return (isSample ? firstBySample : firstByShares)([...found.values()])
}
