import { LapidaryError, shown } from './errors.ts'
import { byteLength, escapeComponent } from './key-text.ts'

/** What a facet's attribute may hold; null stands for an attribute that is null or absent, of an optional facet. */
export type FacetValue = string | number | boolean | null

/** A value as declarations and open facets have it. */
type Value = NonNullable<FacetValue>

/** A share (0 to 1) of the items for each value, as text; used to price plans until statistics exist. */
export type Frequencies = Readonly<Record<string, number>>

interface FacetOptions {
  /**
   * Whether the attribute may be null or absent, which `null` asks for; it may not when not given. In addresses and on the command
   * line that is `null`, so no item may have the text.
   */
  readonly optional?: boolean
  /** Share of the items that has each value, 0 to 1. Values that are not named share what is left. */
  readonly frequencies?: Frequencies
  /**
   * Whether lists are counted by it; they are when not given. Each value that a scope has takes some bytes of the scope's counts,
   * which each page reads: say `false` for a facet of hundreds of values in one scope. Then pages that filter by it have no total.
   */
  readonly counted?: boolean
}

/** What the values of an open facet are. */
export type FacetType = 'string' | 'number' | 'boolean'

/** Null for an optional facet. */
type NullOf<O extends FacetOptions> = O extends { readonly optional: true } ? null : never

type ValueOfType<T extends FacetType> = T extends 'number' ? number : T extends 'boolean' ? boolean : string

/** A facet filtered by one value or not at all. */
export interface OneOf<V extends FacetValue = FacetValue> {
  readonly kind: 'oneOf'
  readonly values: readonly V[] | undefined
  /** The type of an open facet's values; a closed facet has its values instead. */
  readonly type: FacetType | undefined
  /** Whether null is one of its values. */
  readonly optional: boolean
  readonly frequencies: Frequencies | undefined
  /** Whether lists are counted by it. */
  readonly counted: boolean
}

/** A facet filtered by any set of values or not at all. */
export interface AnyOf<V extends FacetValue = FacetValue> {
  readonly kind: 'anyOf'
  readonly values: readonly V[] | undefined
  /** The type of an open facet's values; a closed facet has its values instead. */
  readonly type: FacetType | undefined
  /** Whether null is one of its values. */
  readonly optional: boolean
  readonly frequencies: Frequencies | undefined
  /** Whether lists are counted by it. */
  readonly counted: boolean
}

/** How one attribute can be filtered. */
export type Facet = OneOf | AnyOf

/** Facets by the name of their attribute. */
export type Facets = Readonly<Record<string, Facet>>

/**
 * A facet whose filter is one value, or absent. Closed when its values are given; else open, with texts, or with what a type
 * says.
 *
 * @example
 * ```ts run
 * const facets = { language: oneOf(), status: oneOf(['OPEN', 'CLOSED']), floor: oneOf('number') }
 * ```
 */
export function oneOf<const V extends Value, const O extends FacetOptions = FacetOptions>(
  values: readonly V[],
  options?: O,
): OneOf<V | NullOf<O>>
export function oneOf<T extends FacetType = 'string', const O extends FacetOptions = FacetOptions>(
  type?: T,
  options?: O,
): OneOf<ValueOfType<T> | NullOf<O>>
export function oneOf(domain?: readonly Value[] | FacetType, options: FacetOptions = {}): OneOf {
  return facet('oneOf', domain, options)
}

/**
 * A facet whose filter is any set of values, or absent. Closed when its values are given; else open, with texts, or with what
 * a type says.
 *
 * @example
 * ```ts run
 * const facets = { rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }) }
 * ```
 */
export function anyOf<const V extends Value, const O extends FacetOptions = FacetOptions>(
  values: readonly V[],
  options?: O,
): AnyOf<V | NullOf<O>>
export function anyOf<T extends FacetType = 'string', const O extends FacetOptions = FacetOptions>(
  type?: T,
  options?: O,
): AnyOf<ValueOfType<T> | NullOf<O>>
export function anyOf(domain?: readonly Value[] | FacetType, options: FacetOptions = {}): AnyOf {
  return facet('anyOf', domain, options)
}

const TYPES: readonly unknown[] = ['string', 'number', 'boolean'] satisfies FacetType[]

function facet<K extends Facet['kind']>(
  kind: K,
  domain: readonly Value[] | FacetType = 'string',
  { optional = false, frequencies, counted = true }: FacetOptions,
): {
  kind: K
  values: readonly FacetValue[] | undefined
  type: FacetType | undefined
  optional: boolean
  frequencies: Frequencies | undefined
  counted: boolean
} {
  if (typeof domain === 'string') {
    if (!TYPES.includes(domain))
      throw new LapidaryError(
        'declaration_invalid',
        `${kind}(${shown(domain)}) is no type; there are ${TYPES.join(', ')}`,
      )
  } else {
    if (domain.length === 0)
      throw new LapidaryError('declaration_invalid', `${kind}([]) has no values; give some, or none for an open facet`)
    const values: readonly FacetValue[] = optional ? [...domain, null] : domain
    if (new Set(values.map(String)).size !== values.length) {
      throw new LapidaryError(
        'declaration_invalid',
        `${kind}(${shown(values)}) has two values that read the same; keys hold values as text`,
      )
    }
  }
  for (const [value, share] of Object.entries(frequencies ?? {})) {
    if (!(share >= 0 && share <= 1)) {
      throw new LapidaryError(
        'declaration_invalid',
        `the frequency of ${shown(value)} is ${share}; it is a share from 0 to 1`,
      )
    }
  }
  return Object.freeze({
    kind,
    values: typeof domain === 'string' ? undefined : Object.freeze([...domain, ...(optional ? [null] : [])]),
    type: typeof domain === 'string' ? domain : undefined,
    optional,
    frequencies: frequencies === undefined ? undefined : Object.freeze({ ...frequencies }),
    counted,
  })
}

/**
 * A filter's value in the facet's type: texts, as addresses and command lines have them, become the number or boolean that
 * they read as. What does not read as a value of the facet stays as it is, for {@link valueProblem} to refuse.
 */
export function typedValue(facet: Facet, given: unknown): unknown {
  if (typeof given !== 'string') return given
  if (facet.optional && given === 'null') return null
  if (facet.values !== undefined) {
    return facet.values.includes(given) ? given : (facet.values.find((value) => String(value) === given) ?? given)
  }
  if (facet.type === 'boolean' && (given === 'true' || given === 'false')) return given === 'true'
  // One text for one number: 05 and 5.0 are refused, so that a cursor of `5` is not one of another query.
  return facet.type === 'number' && String(Number(given)) === given ? Number(given) : given
}

/** What is wrong with an item's value of a facet, if anything: of an optional one it may be absent. */
export function itemProblem(facet: Facet, value: unknown): string | undefined {
  return valueProblem(facet, facet.optional ? (value ?? null) : value)
}

/** What is wrong with a facet's value, if anything; the same rule for filters and for items. */
export function valueProblem(facet: Facet, value: unknown): string | undefined {
  if (facet.optional && value === null) return undefined
  if (facet.optional && value === 'null') return 'must not be the text null, which stands for no value in addresses'
  if (facet.values !== undefined) {
    return facet.values.includes(value as FacetValue)
      ? undefined
      : `must be one of ${facet.values.map(shown).join(', ')}, not ${shown(value)}`
  }
  if (facet.type === 'boolean') return typeof value === 'boolean' ? undefined : `must be a boolean, not ${shown(value)}`
  if (facet.type === 'number')
    return isNumber(value)
      ? undefined
      : `must be 0 or a number from ${SMALLEST_NUMBER} to ${LARGEST_NUMBER} either side of it, not ${shown(value)}`
  if (typeof value !== 'string') {
    const hint =
      typeof value === 'number' || typeof value === 'boolean' ? `; declare the facet's type: ${typeof value}` : ''
    return `must be a text, not ${shown(value)}${hint}`
  }
  if (!value.isWellFormed()) return `must be well-formed Unicode, not ${shown(value)}`
  if (byteLength(escapeComponent(value)) > 256) return `must be at most 256 bytes in a key, not ${shown(value)}`
  return undefined
}

/**
 * The value by which an item is listed and counted: null where it has none.
 *
 * @example
 * ```ts run
 * const channel = facetValueOf({ id: '1' }, 'channel') // null
 * ```
 */
export function facetValueOf(item: Readonly<Record<string, unknown>>, facet: string): FacetValue {
  return (item[facet] ?? null) as FacetValue
}

/** Magnitudes that DynamoDB's numbers hold exactly, beside 0. */
export const SMALLEST_NUMBER = 1e-130
export const LARGEST_NUMBER: number = Number.MAX_SAFE_INTEGER

/** -0 reads as 0 in a key, and is refused lest it be another value than 0 in a filter. */
function isNumber(value: unknown): boolean {
  if (typeof value !== 'number' || Object.is(value, -0)) return false
  return value === 0 || (Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= LARGEST_NUMBER)
}

/** The values of a facet as filters accept them. */
export type ValueOf<F> = F extends { readonly values: readonly (infer V)[] | undefined } ? V : never

/** Whether a facet takes any text, number or boolean. */
type IsOpen<V> = string extends V ? true : number extends V ? true : boolean extends V ? true : false

/** A facet's values as filters name them: where it is open, those of its attribute. */
type FilterValue<F, A> =
  IsOpen<ValueOf<F>> extends true ? (A extends ValueOf<F> ? A : never) | Extract<ValueOf<F>, null> : ValueOf<F>

/** What a facet must be for an attribute: its values are some that the attribute can have, or any text, number or boolean where the attribute is one. */
export type FacetOf<F, A> = unknown extends A
  ? unknown
  : IsOpen<ValueOf<F>> extends true
    ? [NonNullable<A>] extends [ValueOf<F>]
      ? unknown
      : never
    : [ValueOf<F>] extends [undefined extends A ? A | null : A]
      ? unknown
      : never

/** The attribute of a facet; any value where the type of items is not known. */
type AttributeValue<I, K> = K extends keyof I ? NonNullable<I[K]> : FacetValue

/**
 * The filter that a set of facets accepts: one value for `oneOf`, one or several for `anyOf`; absent or undefined = any. An open facet
 * of items of a known type takes the values that its attribute can have.
 */
export type Where<F extends Facets, I = unknown> = {
  readonly [K in keyof F]?:
    | (F[K] extends AnyOf
        ? FilterValue<F[K], AttributeValue<I, K>> | readonly FilterValue<F[K], AttributeValue<I, K>>[]
        : FilterValue<F[K], AttributeValue<I, K>>)
    | undefined
}
