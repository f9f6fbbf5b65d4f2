import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { EachOf, Facets } from './facet.ts'
import type { ValueOf } from './facet-types.ts'
import type { OrderType } from './order.ts'

// Types that read a declaration which is written out in the call, and tell what is wrong with it. A part that has lost its literal types, such as
// an `IndexDeclaration`, is checked only when the program runs.

/** The types that a written-out declaration adds. */
export type DeclaredBy<Schema extends StandardSchemaV1, O extends { readonly id: string }> = {
  readonly input: StandardSchemaV1.InferInput<Schema>
  readonly order: O extends { readonly order: infer One extends string | object }
    ? TypeOfOrder<One>
    : OrdersOf<O>[keyof OrdersOf<O>]
  readonly orders: OrdersOf<O>
  readonly id: O['id']
  readonly made:
    | O['id']
    | (O extends { readonly version: infer V extends string } ? V : never)
    | (O extends { readonly updatedAt: infer U extends string } ? U : never)
    | (O extends { readonly order: infer One extends string | object } ? MadeTime<One> : MadeTime<BareOrders<O>>)
  readonly decimals: O extends { readonly numbers: infer N }
    ? { [K in keyof N]-?: N[K] extends 'decimal' ? Extract<K, string> : never }[keyof N]
    : never
  readonly board: O extends { readonly leaderboards: infer B } ? Extract<keyof B, string> : never
  readonly sums: O extends { readonly sums: readonly (infer S)[] } ? Extract<S, string> : never
  readonly countedAcross: O extends { readonly statistics: { readonly across: number } } ? true : false
  readonly across: O extends { readonly indexes: infer X } ? (true extends IsAcross<X[keyof X]> ? true : false) : false
  readonly paged: O extends { readonly pages: readonly (infer P)[] }
    ? {
        readonly order: DefaultNames<O> | Extract<Of<P, 'order'>, string>
        readonly facet: Extract<Of<P, 'facet'>, string>
        readonly across: true extends Of<P, 'across'> ? true : false
      }
    : { readonly order: DefaultNames<O>; readonly facet: never; readonly across: false }
}

/** The page indexes beside the one of a scope in the default order. */
export interface Paged {
  /** Names of orders, including the default one. */
  readonly order: string
  /** Facets of several values. */
  readonly facet: string
  /** Whether pages of all scopes have numbers. */
  readonly across: boolean
}

/** The type of a property, whether it may be absent or not; `never` where there is none. */
type Of<P, Name extends string> = P extends { readonly [N in Name]?: infer V }
  ? Name extends keyof P
    ? V
    : never
  : never

/** The errors that only the whole declaration shows. */
export type WrittenOut<F extends Facets, O> = FacetsOf<F, O> &
  AttributesOf<F, O> &
  IndexesOf<F, O> &
  PagesOf<F, O> &
  SumsOf<O>

/** A literal text; `never` for any text. */
type Known<T> = string extends T ? never : T

/** Attributes with a part of their own, so that they can't be a facet. */
type KeptAttributes<O> =
  | (O extends { readonly id: infer Id } ? Known<Id> : never)
  | (O extends { readonly scope: { readonly attribute: infer Scope } } ? Known<Scope> : never)
  | Known<NameOfOrder<DefaultIn<O>>>

type FacetsOf<F extends Facets, O> = [Extract<keyof F, KeptAttributes<O>>] extends [never]
  ? unknown
  : { readonly facets: { readonly [K in Extract<keyof F, KeptAttributes<O>>]: 'it is the id, the scope or the order' } }

/** An attribute that lists filter or show by can't be for a look-up only. */
type AttributesOf<F extends Facets, O> = O extends { readonly attributes: infer A }
  ? {
      readonly attributes: {
        readonly [K in keyof A]: A[K] extends { readonly shownIn: 'lookup' }
          ? K extends KeptAttributes<O> | Known<keyof F>
            ? 'lists filter and show by it'
            : unknown
          : unknown
      }
    }
  : unknown

type IndexesOf<F extends Facets, O> = O extends { readonly indexes: infer X }
  ? {
      readonly indexes: {
        readonly [N in keyof X]: InOrder<X[N], OrderNames<O>> &
          OnlyFor<X[N], F> &
          Spread<X[N]> &
          Alone<X[N]> &
          Once<X[N]>
      } & EveryOrder<Exclude<OrderNames<O>, DefaultNames<O> | Extract<Of<X[keyof X], 'order'>, string>>>
    }
  : unknown

type EveryOrder<Missing> = [Missing] extends [never] ? unknown : `no index is in the order ${Extract<Missing, string>}`

type InOrder<X, Names> = X extends { readonly order: string } ? { readonly order: Names } : unknown

type OnlyFor<X, F extends Facets> = X extends { readonly only: infer Only extends object }
  ? {
      readonly only: {
        readonly [K in keyof F]?: K extends keyof Only
          ? Only[K] extends readonly []
            ? 'it would hold nothing'
            : readonly ValueOf<F[K]>[]
          : readonly ValueOf<F[K]>[]
      }
    }
  : unknown

type Spread<X> = X extends { readonly across: number } ? { readonly shards?: never } : unknown

/** An index that assembles collections has nothing else. */
type Alone<X> = X extends { readonly around: string } ? { readonly [K in Exclude<keyof X, 'around'>]: never } : unknown

/** A facet is in the partition key or in the sort key. */
type Once<X> = X extends { readonly partition: readonly (infer P)[]; readonly sort: infer S extends readonly unknown[] }
  ? number extends S['length']
    ? unknown
    : { readonly sort: readonly Exclude<S[number], P>[] }
  : unknown

/** The numbers of an attribute that holds texts are summed where it is declared that the texts are numbers. */
type SumsOf<O> = O extends { readonly sums: infer X; readonly schema: StandardSchemaV1<unknown, infer I> }
  ? { readonly sums: { readonly [N in keyof X]: SumIn<X[N], I, O> } }
  : unknown

type SumIn<A, I, O> = A extends keyof I & string
  ? [NonNullable<I[A]>] extends [string]
    ? O extends { readonly numbers: { readonly [K in A]: 'decimal' } }
      ? unknown
      : `it holds texts; say numbers: { ${A}: 'decimal' } where they are numbers`
    : unknown
  : unknown

type PagesOf<F extends Facets, O> = O extends { readonly pages: infer P }
  ? { readonly pages: { readonly [N in keyof P]: PageIn<P[N], F, O> } }
  : unknown

type PageIn<P, F extends Facets, O> = [keyof P] extends [never]
  ? 'every collection has it'
  : (P extends { readonly order: string } ? { readonly order: OrderNames<O> } : unknown) &
      (P extends { readonly facet: string } ? { readonly facet: OfSeveralValues<F> } : unknown) &
      (P extends { readonly across: true } ? ListedAcross<O> : unknown)

type OfSeveralValues<F extends Facets> = { [K in keyof F]: F[K] extends EachOf ? K : never }[keyof F]

type ListedAcross<O> = O extends { readonly indexes: infer X }
  ? true extends IsAcross<X[keyof X]>
    ? unknown
    : NotAcross
  : NotAcross
type NotAcross = { readonly across: 'no index is across all scopes' }

type TypeOfOrder<One> = One extends { readonly type: infer T extends OrderType } ? T : 'time'

type NameOfOrder<One> = One extends string
  ? One
  : One extends { readonly attribute: infer A extends string }
    ? A
    : never

/** Types of orders by name; `order` is called by its attribute where it has no name among `orders`. */
type OrdersOf<O> = { readonly [name in OrderNames<O>]: TypeOfOrder<OrderIn<O, name>> }

type OrderNames<O> = O extends { readonly orders: infer Named }
  ? Extract<keyof Named, string> | Exclude<NameOfOrder<DefaultIn<O>>, NameOfOrder<Named[keyof Named]>>
  : NameOfOrder<DefaultIn<O>>

type OrderIn<O, Name> = O extends { readonly orders: infer Named }
  ? Name extends keyof Named
    ? Named[Name]
    : DefaultIn<O>
  : DefaultIn<O>

type DefaultIn<O> = O extends { readonly order: infer One } ? One : never

/** Names of the default order. Types can't tell which of several orders is the first: without `order` each may be. */
type DefaultNames<O> = O extends { readonly order: infer One }
  ? O extends { readonly orders: infer Named }
    ? {
        [name in OrderNames<O>]: name extends keyof Named
          ? NameOfOrder<Named[name]> extends NameOfOrder<One>
            ? name
            : never
          : name
      }[OrderNames<O>]
    : NameOfOrder<One>
  : OrderNames<O>

/** Types can't tell which of several orders is the first: those that are a bare name may be. */
type BareOrders<O> = O extends { readonly orders: infer Named } ? Extract<Named[keyof Named], string> : never

type MadeTime<One> = One extends string
  ? One
  : One extends { readonly attribute: infer A extends string; readonly type: 'time' }
    ? A
    : never

type IsAcross<Index> = Index extends { readonly across: number } ? true : false
