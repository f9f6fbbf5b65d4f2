import type { Declared } from '../model/collection.ts'
import type { EachOf, Facets } from '../model/facet.ts'
import type { Where } from '../model/facet-types.ts'
import type { OrderType } from '../model/order.ts'
import type { ListOrder } from '../model/query.ts'

/** A filter in the types of the declaration: a facet that does not exist, or a value outside it, does not compile. */
export type ListQuery<F extends Facets, I = unknown, D extends Declared = Declared> = Asked<F, I> &
  Scoped<D> &
  Ordered<D>

/** The items of scopes that pass a filter, all of them. */
export type SelectedItems<F extends Facets, I = unknown, D extends Declared = Declared> = Pick<Asked<F, I>, 'where'> & {
  readonly scope: string | readonly string[]
} & Ordered<D>

/** The same for pages by number, in an order, by a facet of several values and of all scopes where that is declared for it. */
export type PageQuery<F extends Facets, I = unknown, D extends Declared = Declared> = Asked<PagedFacets<F, D>, I> &
  Scoped<D['paged']> &
  Ordered<D, D['paged']['order']>

type PagedFacets<F extends Facets, D extends Declared> = {
  readonly [K in keyof F as F[K] extends EachOf ? Extract<K, D['paged']['facet']> : K]: F[K]
}

/** One scope, or some whose items are merged; absent for all, where an index lists them. */
type Scoped<D extends Pick<Declared, 'across'>> = [D['across']] extends [true]
  ? { readonly scope?: string | readonly string[] | undefined }
  : { readonly scope: string | readonly string[] }

/** In the default order, or in one by its name; a range is of its attribute. */
type Ordered<D extends Declared, Names = string> =
  | ({ readonly by?: undefined } & Ranged<D['order']>)
  | { [N in Extract<keyof D['orders'], Names>]: { readonly by: N } & Ranged<D['orders'][N]> }[Extract<
      keyof D['orders'],
      Names
    >]

interface Ranged<T extends OrderType> {
  /** Lowest order value, inclusive. */
  readonly from?: RangeValue<T> | undefined
  /** Highest order value, exclusive. */
  readonly to?: RangeValue<T> | undefined
}

interface Asked<F extends Facets, I> {
  readonly where?: Where<F, I>
  /** `newest`, or `highest`, which is the same, reads the highest order value first; it does when not given. */
  readonly order?: ListOrder | 'highest' | 'lowest'
  /** 1 to 100; 20 when not given. */
  readonly limit?: number
}

/** A bound of a range: a number or a text; a time is an ISO 8601 text, a decimal is its digits. */
export type RangeValue<T extends OrderType> = T extends 'number'
  ? number
  : T extends 'decimal'
    ? string | bigint | number
    : string
