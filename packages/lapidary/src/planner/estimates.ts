import type { List } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { Facet, FacetValue } from '../model/facet.ts'
import { ownValue } from '../model/own-value.ts'
import type { Selection } from '../model/query.ts'
import { type EntrySize, exactSize } from './entry-size.ts'
import type { SizeClass } from './size-classes.ts'

/** The source of a plan's numbers. */
export type EstimateBasis = 'statistics' | 'declared' | 'default'

/**
 * Holds what the planner knows about one scope's items. Statistics give exact counts; until they exist, declared or default
 * frequencies give shares and no counts.
 */
export interface Estimates {
  readonly basis: EstimateBasis
  /** Weighs the entries of a list. */
  size(list: List): EntrySize
  /** Mean bytes of what a list shows of the items in a selection, without the list's own keys; undefined where it is not counted. */
  bytes(selection: Selection): number | undefined
  /** How many of those items are heavy, the heaviest class first and all others in the last; undefined where they are not counted. */
  sizeClasses(selection: Selection): readonly SizeClass[] | undefined
  /**
   * How many items' worth the shares are known from: at a place in a list the mix is another than in the whole of it. Of a
   * beta distribution with mean p and this, the variance is `p (1 - p) / (trust + 1)`.
   */
  readonly trust: number
  /** Items of the scope in a selection; undefined when only shares are known. */
  count(selection: Selection): number | undefined
  /** Share of the scope's items in a selection, 0 to 1. */
  share(selection: Selection): number
  /** Every value that a facet has in this scope; undefined when that is not known. */
  values(facet: string): readonly FacetValue[] | undefined
  /** The values of a facet that are known of, for shares alone: there may be others. Undefined when none are. */
  seen(facet: string): readonly FacetValue[] | undefined
  /** Gives the estimates of one of several scopes, with shares of the items of all. */
  readonly inScope?: (scope: string) => Estimates | undefined
}

/** Gives the estimates of a list's own scope. */
export function estimatesOf(list: List, estimates: Estimates): Estimates {
  return (list.scope === undefined ? undefined : estimates.inScope?.(list.scope)) ?? estimates
}

/** Tells what a list gave lately, near where a page begins; undefined when nothing is known. */
export type RecentLists = (list: List) => RecentGiving | undefined

/** A list as it was seen lately, in items; the longer ago, the less they count. */
export interface RecentGiving {
  /** Given to pages, or certain to be on the next. */
  readonly given: number
  /** Let through by the filter. */
  readonly passed: number
  /** Evaluated. */
  readonly read: number
  /** Items of it that are known to be among the next of the answer. */
  readonly ahead: number
}

/**
 * How many items' worth the shares of a whole list are known from at one place in it. Mixes differ from place to place: a product
 * changes, an offer ends. Taken as the prior of a beta distribution, it is outweighed by as many items seen nearby.
 */
export const LOCAL_TRUST = 40

/** The share taken for a value of an open facet about which nothing was declared. */
const OPEN_FACET_SHARE = 0.25

/** The same where its values are too many to be counted: people, say, by the thousand. */
const UNCOUNTED_FACET_SHARE = 0.01

/** Estimates from the declaration alone: facets are taken as independent, values as declared or equally frequent. */
export function declaredEstimates(collection: Collection): Estimates {
  const known = declaredOnce.get(collection) ?? estimatesOfDeclaration(collection)
  declaredOnce.set(collection, known)
  return known
}

/** One for each collection, so that plans made on them are remembered. */
const declaredOnce = new WeakMap<Collection, Estimates>()

function estimatesOfDeclaration(collection: Collection): Estimates {
  const declared = Object.values(collection.facets).some(({ frequencies }) => frequencies !== undefined)
  const size = exactSize(collection.itemBytes)
  return {
    basis: declared ? 'declared' : 'default',
    size: () => size,
    bytes: () => undefined,
    sizeClasses: () => undefined,
    trust: LOCAL_TRUST,
    count: () => undefined,
    share: (selection) =>
      Object.entries(selection).reduce((product, [name, values]) => {
        const facet = ownValue(collection.facets, name)
        return facet === undefined ? product : product * facetShare(facet, values)
      }, 1),
    values: (name) => ownValue(collection.facets, name)?.values,
    seen: (name) => ownValue(collection.facets, name)?.values,
  }
}

function facetShare(facet: Facet, values: readonly FacetValue[]): number {
  // An item may have several of them.
  if (facet.kind === 'eachOf')
    return 1 - values.reduce<number>((none, value) => none * (1 - valueShare(facet, value)), 1)
  return Math.min(
    1,
    values.reduce<number>((sum, value) => sum + valueShare(facet, value), 0),
  )
}

function valueShare(facet: Facet, value: FacetValue): number {
  const { frequencies = {}, values, counted } = facet
  // Values come from outside: `constructor` is no frequency, though every object answers to it.
  const named = (other: FacetValue): boolean => Object.hasOwn(frequencies, String(other))
  if (named(value)) return frequencies[String(value)] ?? 0
  const left = Math.max(0, 1 - Object.values(frequencies).reduce((sum, taken) => sum + taken, 0))
  if (values === undefined) return Math.min(left, counted || value === null ? OPEN_FACET_SHARE : UNCOUNTED_FACET_SHARE)
  return left / values.filter((other) => !named(other)).length
}
