import type { AnyOf, EachOf, Facets, FacetValue, NumberRange, TextRange } from './facet.ts'
import type { ComputedValue, FacetPath } from './facet-origin.ts'

// The types of filters, and of the facets that items of a type can have.

/** The values of a facet as filters accept them. */
export type ValueOf<F> = F extends { readonly values: readonly (infer V)[] | undefined } ? V : never

/** Tells whether a facet takes any text, number or boolean. */
type IsOpen<V> = string extends V ? true : number extends V ? true : boolean extends V ? true : false

/** A facet's values as filters name them: those of the attribute where the facet is open. */
type FilterValue<F, A> =
  IsOpen<ValueOf<F>> extends true ? (A extends ValueOf<F> ? A : never) | Extract<ValueOf<F>, null> : ValueOf<F>

/**
 * The facets that an attribute can have: their values are some that the attribute can hold, or any text, number or boolean where the attribute
 * is one.
 */
export type FacetOf<F, A> = unknown extends A
  ? unknown
  : F extends EachOf<FacetValue, infer S>
    ? [S] extends [undefined]
      ? NonNullable<A> extends readonly (infer E)[]
        ? ValuesFit<NonNullable<ValueOf<F>>, E>
        : never
      : [NonNullable<A>] extends [string]
        ? unknown
        : never
    : ValuesFit<ValueOf<F>, A>

type ValuesFit<V, A> =
  IsOpen<V> extends true
    ? [NonNullable<A>] extends [V]
      ? unknown
      : never
    : [V] extends [undefined extends A ? A | null : A]
      ? unknown
      : never

/** The facets that items of a type can have under a name: of the attribute of that name, or of a value elsewhere and then of another name. */
export type FacetIn<F, I, K> = F extends { readonly origin: FacetPath<infer P> }
  ? K extends Literal<keyof I>
    ? never
    : FacetOf<F, ValueAt<I, P>>
  : F extends { readonly origin: ComputedValue<infer Of> }
    ? K extends Literal<keyof I>
      ? never
      : IsItem<I, Parameters<Of>[0]> extends true
        ? FacetOf<F, ReturnType<Of>>
        : never
    : K extends keyof I
      ? FacetOf<F, I[K]>
      : never

/** Tells whether a function takes items of a type; where it is not known what attributes hold, it may. */
type IsItem<I, Taken> = I extends Taken ? true : string extends keyof I ? true : false

/** Names that are known; `never` for any text. */
type Literal<K> = string extends K ? never : K

/** What stands for the value at a path that items do not have. No facet is of symbols. */
type NoValue = symbol

/** The value at a path of an item; unknown where the type of items is not known so far. */
type ValueAt<I, P extends string> = unknown extends I
  ? unknown
  : string extends P
    ? unknown
    : P extends `${infer First}.${infer Rest}`
      ? ValueAt<Member<I, First>, Rest>
      : Member<I, P>

type Member<I, K extends string> = I extends null | undefined ? undefined : K extends keyof I ? I[K] : NoValue

/** The values that a facet's attribute, path or function may give, one by one; any value where the type of items is not known. */
type AttributeValue<F, I, K> = F extends { readonly origin: FacetPath<infer P> }
  ? unknown extends ValueAt<I, P>
    ? FacetValue
    : Element<NonNullable<ValueAt<I, P>>>
  : F extends { readonly origin: ComputedValue<infer Of> }
    ? unknown extends ReturnType<Of>
      ? FacetValue
      : Element<NonNullable<ReturnType<Of>>>
    : K extends keyof I
      ? Element<NonNullable<I[K]>>
      : FacetValue

type Element<A> = A extends readonly (infer E)[] ? E : A

/** A range, or a beginning of texts, for a facet of which an item has one value. */
type RangeOf<F, V> = F extends EachOf
  ? never
  :
      | ([Extract<V, number>] extends [never] ? never : NumberRange)
      | ([Extract<V, string>] extends [never] ? never : TextRange | Beginning)

/** The texts that begin with one. */
export interface Beginning {
  readonly startsWith: string
}

/** The values of which an item has any (`has`), each (`hasEvery`) and none (`hasNone`). */
export interface HeldValues<V extends FacetValue = FacetValue> {
  readonly has?: V | readonly V[] | undefined
  readonly hasEvery?: V | readonly V[] | undefined
  readonly hasNone?: V | readonly V[] | undefined
}

/** The terms of a filter: what it asks of each facet. */
type Terms<F extends Facets, I> = {
  readonly [K in keyof F]?: AskedOf<F[K], FilterValue<F[K], AttributeValue<F[K], I, K>>> | undefined
}

type AskedOf<F, V extends FacetValue> =
  | V
  | (F extends AnyOf | EachOf ? readonly V[] : never)
  | (F extends EachOf ? HeldValues<V> : never)
  | RangeOf<F, V>

/** Filters that are combined, as deep as is sensible. */
type Combined<F extends Facets, I> = {
  /** All of them. */
  readonly AND?: Where<F, I> | readonly Where<F, I>[] | undefined
  /** At least one of them. */
  readonly OR?: readonly Where<F, I>[] | undefined
  /** None of them. */
  readonly NOT?: Where<F, I> | readonly Where<F, I>[] | undefined
}

/**
 * The filter that a set of facets accepts: one value for `oneOf`, one or several for `anyOf` and `eachOf`; a range of numbers or texts and
 * `startsWith` for the first two; `has`, `hasEvery` and `hasNone` for `eachOf`; absent or undefined = any. `AND`, `OR` and `NOT` combine
 * filters. An open facet of items of a known type takes the values that its attribute can have.
 *
 * @example
 * ```ts run
 * const where = { rating: { from: 3 }, OR: [{ language: 'en' }, { rating: 5 }], NOT: { language: 'de' } } as const
 * const { items } = await lapidary.comments.list({ scope: '42', where })
 * ```
 */
export type Where<F extends Facets, I = unknown> = Terms<F, I> & Combined<F, I>
