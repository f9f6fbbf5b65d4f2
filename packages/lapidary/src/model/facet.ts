import { LapidaryError, shown } from './errors.ts'
import { type ComputedValue, type FacetPath, type Origin, type OriginOptions, originOf } from './facet-origin.ts'
import { knownOptions, type OptionNames } from './known-options.ts'

/** A value that a facet's attribute may hold; null stands for an optional facet's attribute that is null or absent. */
export type FacetValue = string | number | boolean | null

/** The numbers from `from` on and below `to`; without an end, all on that side. */
export interface NumberRange {
  /** The lowest number, inclusive. */
  readonly from?: number | undefined
  /** The highest number, exclusive. */
  readonly to?: number | undefined
}

/** The texts from `from` on and below `to`, by their UTF-8 bytes, so times by time; without an end, all on that side. */
export interface TextRange {
  /** The lowest text, inclusive. */
  readonly from?: string | undefined
  /** The highest text, exclusive. */
  readonly to?: string | undefined
}

/** A range of numbers, or of texts. */
export type ValueRange = NumberRange | TextRange

/** A value that declarations and open facets may have. */
type Value = NonNullable<FacetValue>

/** A share (0 to 1) of the items for each value, as text; used to price plans until statistics exist. */
export type Frequencies = Readonly<Record<string, number>>

interface FacetOptions extends OriginOptions {
  /**
   * Whether the attribute may be null or absent; `null` asks for such items. False when not given. An address or a command line writes `null` as
   * a text, so no item may have that text.
   */
  readonly optional?: boolean
  /** Share of the items that has each value, 0 to 1. Values that are not named share the rest. */
  readonly frequencies?: Frequencies
  /**
   * Whether lists are counted by it; true when not given. Each value that a scope has takes some bytes of the scope's counts, which each page
   * reads: say `false` for a facet of hundreds of values in one scope. Pages that filter by it then have no total.
   */
  readonly counted?: boolean
  /**
   * Whether lists are made by it; true when not given. A facet that is not listed is in no key: it is filtered after the read or by columns, a
   * power set has no duplicates for it, and no index may name it. An `eachOf` facet is refused by power sets and native keys either way.
   */
  readonly listed?: boolean
}

/** The type of an open facet's values. */
export type FacetType = 'string' | 'number' | 'boolean'

/** Null for an optional facet. */
type NullOf<O extends FacetOptions> = O extends { readonly optional: true } ? null : never

/** The type of where the values come from, by the options. */
type OriginIn<O> = O extends { readonly path: infer P extends string }
  ? FacetPath<P>
  : O extends { readonly of: infer Of extends (item: never) => unknown }
    ? ComputedValue<Of>
    : undefined

type ValueOfType<T extends FacetType> = T extends 'number' ? number : T extends 'boolean' ? boolean : string

/** A facet filtered by one value or not at all. */
export interface OneOf<V extends FacetValue = FacetValue, O extends Origin = Origin> {
  readonly kind: 'oneOf'
  /** All values that items may have; undefined where the facet is open. A facet of booleans is closed by itself. */
  readonly values: readonly V[] | undefined
  /** The type of the values, where the facet was declared by it. */
  readonly type: FacetType | undefined
  /** Whether null is one of its values. */
  readonly optional: boolean
  readonly frequencies: Frequencies | undefined
  /** Whether lists are counted by it. */
  readonly counted: boolean
  /** Whether lists are made by it. */
  readonly listed: boolean
  /** Where the values come from; undefined for the attribute of the facet's name. */
  readonly origin: O
}

/** A facet filtered by any set of values or not at all. */
export interface AnyOf<V extends FacetValue = FacetValue, O extends Origin = Origin> {
  readonly kind: 'anyOf'
  /** All values that items may have; undefined where the facet is open. A facet of booleans is closed by itself. */
  readonly values: readonly V[] | undefined
  /** The type of the values, where the facet was declared by it. */
  readonly type: FacetType | undefined
  /** Whether null is one of its values. */
  readonly optional: boolean
  readonly frequencies: Frequencies | undefined
  /** Whether lists are counted by it. */
  readonly counted: boolean
  /** Whether lists are made by it. */
  readonly listed: boolean
  /** Where the values come from; undefined for the attribute of the facet's name. */
  readonly origin: O
}

/**
 * A facet of which an item has any number of values, filtered by any set of them or not at all: an item that has one of them answers. Null
 * stands for an item that has none.
 */
export interface EachOf<
  V extends FacetValue = FacetValue,
  S extends string | undefined = string | undefined,
  O extends Origin = Origin,
> {
  readonly kind: 'eachOf'
  /** All values that items may have; undefined where the facet is open. A facet of booleans is closed by itself. */
  readonly values: readonly V[] | undefined
  /** The type of the values, where the facet was declared by it. */
  readonly type: FacetType | undefined
  readonly optional: true
  /**
   * The text between the parts of a path, for a hierarchy: its values are the branches that the path is in. Undefined where the attribute is an
   * array of values.
   */
  readonly separator: S
  readonly frequencies: Frequencies | undefined
  /** Whether lists are counted by it. */
  readonly counted: boolean
  /** Whether lists are made by it. */
  readonly listed: boolean
  /** Where the values come from; undefined for the attribute of the facet's name. */
  readonly origin: O
}

/** The way in which items can be filtered by one kind of value. */
export type Facet = OneOf | AnyOf | EachOf

/** Facets by name, which is that of their attribute unless they say a path or a function. */
export type Facets = Readonly<Record<string, Facet>>

/**
 * A facet whose filter is one value, or absent. It is closed when its values are given or are booleans; else it is open, and holds texts or
 * values of the given type. Its values are in the attribute of its name, at a `path` inside another, or made by a function `of` the item.
 *
 * @example
 * ```ts run
 * const facets = { language: oneOf(), status: oneOf(['OPEN', 'CLOSED']), floor: oneOf('number') }
 * const elsewhere = {
 *   city: oneOf({ path: 'address.city' }),
 *   month: oneOf({ of: ({ placedAt }: { placedAt: string }) => placedAt.slice(0, 7) }),
 * }
 * ```
 */
export function oneOf<const V extends Value, const O extends FacetOptions = Record<never, never>>(
  values: readonly V[],
  options?: O,
): OneOf<V | NullOf<O>, OriginIn<O>>
export function oneOf<T extends FacetType = 'string', const O extends FacetOptions = Record<never, never>>(
  type?: T,
  options?: O,
): OneOf<ValueOfType<T> | NullOf<O>, OriginIn<O>>
export function oneOf<const O extends FacetOptions>(options: O): OneOf<string | NullOf<O>, OriginIn<O>>
export function oneOf(...given: Given<FacetOptions>): OneOf {
  return facet('oneOf', ...domainIn(given))
}

/**
 * A facet whose filter is any set of values, or absent. It is closed when its values are given or are booleans; else it is open, and holds texts
 * or values of the given type.
 *
 * @example
 * ```ts run
 * const facets = { rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }) }
 * ```
 */
export function anyOf<const V extends Value, const O extends FacetOptions = Record<never, never>>(
  values: readonly V[],
  options?: O,
): AnyOf<V | NullOf<O>, OriginIn<O>>
export function anyOf<T extends FacetType = 'string', const O extends FacetOptions = Record<never, never>>(
  type?: T,
  options?: O,
): AnyOf<ValueOfType<T> | NullOf<O>, OriginIn<O>>
export function anyOf<const O extends FacetOptions>(options: O): AnyOf<string | NullOf<O>, OriginIn<O>>
export function anyOf(...given: Given<FacetOptions>): AnyOf {
  return facet('anyOf', ...domainIn(given))
}

/** Options without `optional`: an item without values is always allowed, and is listed as such. */
type EachOfOptions = Omit<FacetOptions, 'optional'>

/**
 * A facet of an attribute that is an array, such as tags. Its filter is any set of values, or absent, and an item that has several of them comes
 * once. An item may have {@link MOST_ITEM_VALUES} values, or none, which `null` asks for. It is listed by each of them: the table holds a
 * further entry for each but the first.
 *
 * @example
 * ```ts run
 * const facets = { tags: eachOf(), size: eachOf(['S', 'M', 'L']), year: eachOf('number') }
 * ```
 */
export function eachOf<const V extends Value, const O extends EachOfOptions = Record<never, never>>(
  values: readonly V[],
  options?: O,
): EachOf<V | null, undefined, OriginIn<O>>
export function eachOf<T extends FacetType = 'string', const O extends EachOfOptions = Record<never, never>>(
  type?: T,
  options?: O,
): EachOf<ValueOfType<T> | null, undefined, OriginIn<O>>
export function eachOf<const O extends EachOfOptions>(options: O): EachOf<string | null, undefined, OriginIn<O>>
export function eachOf(...given: Given<EachOfOptions>): EachOf {
  const [domain, options] = domainIn(given)
  return Object.freeze({
    ...facet('eachOf', domain, { ...options, optional: true }),
    optional: true as const,
    separator: undefined,
  })
}

/**
 * A facet of paths, such as `electronics/audio/headphones`: a filter by a branch, `electronics/audio`, lists everything in it and below. A path
 * has at most {@link MOST_ITEM_VALUES} parts; `null` asks for items without one.
 *
 * @example
 * ```ts run
 * const facets = { category: hierarchy() }
 * const where = { category: 'electronics/audio' }
 * ```
 */
export function hierarchy<const S extends string = '/', const O extends EachOfOptions = Record<never, never>>(
  separator?: S,
  options?: O,
): EachOf<string | null, string, OriginIn<O>>
export function hierarchy<const O extends EachOfOptions>(options: O): EachOf<string | null, string, OriginIn<O>>
export function hierarchy(...given: Given<EachOfOptions, string>): EachOf<string | null, string> {
  const [parting = '/', options = {}] = domainIn(given)
  if (parting === '')
    throw new LapidaryError('declaration_invalid', "hierarchy('') has no separator; give one, such as /")
  // A separator such as `::` is refused: a path could be split in two ways.
  for (let i = 1; i < parting.length; i++) {
    if (parting.endsWith(parting.slice(0, i)))
      throw new LapidaryError(
        'declaration_invalid',
        `hierarchy('${parting}') begins as it ends, so a path could be split in two ways; give one character, such as /`,
      )
  }
  return Object.freeze({
    ...facet('eachOf', 'string', { ...options, optional: true }),
    values: undefined,
    optional: true as const,
    separator: parting,
  })
}

/**
 * The most values of an `eachOf` facet that an item may have, and the most parts of a path: the table holds an entry for each, and one
 * transaction writes them all.
 *
 * @example
 * ```ts run
 * const tags = ['slow', 'login', 'slow'].slice(0, MOST_ITEM_VALUES)
 * ```
 */
export const MOST_ITEM_VALUES = 20

const NAMES: OptionNames<FacetOptions> = {
  ...{ optional: true, frequencies: true, counted: true, listed: true },
  ...{ path: true, of: true, version: true },
}

/** The arguments that declare a facet: its domain and its options, or its options alone. */
type Given<O, D = readonly Value[] | FacetType> = [domain?: D | undefined, options?: O | undefined] | [options: O]

function domainIn<O extends object, D extends string | readonly unknown[]>(
  given: Given<O, D>,
): [domain: D | undefined, options: O | undefined] {
  const [first, second] = given
  const isOptions = typeof first === 'object' && first !== null && !Array.isArray(first)
  return isOptions ? [undefined, first as O] : [first as D | undefined, second]
}

const TYPES: readonly unknown[] = ['string', 'number', 'boolean'] satisfies FacetType[]

function facet<K extends Facet['kind']>(
  kind: K,
  domain: readonly Value[] | FacetType = 'string',
  options: FacetOptions = {},
): {
  kind: K
  values: readonly FacetValue[] | undefined
  type: FacetType | undefined
  optional: boolean
  frequencies: Frequencies | undefined
  counted: boolean
  listed: boolean
  origin: Origin
} {
  const known = knownOptions(kind, options, NAMES, 'declaration_invalid')
  const { optional = false, frequencies, counted = true, listed = true } = known
  if (typeof domain === 'string') {
    if (!TYPES.includes(domain))
      throw new LapidaryError(
        'declaration_invalid',
        `${kind}(${shown(domain)}) is no type; there are ${TYPES.join(', ')}${LONG_NUMBERS.includes(domain) ? `. ${MORE_DIGITS}` : ''}`,
      )
  } else {
    if (domain.length === 0)
      throw new LapidaryError('declaration_invalid', `${kind}([]) has no values; give some, or none for an open facet`)
    const wrong = (domain as readonly unknown[]).find((value) => !isDeclarable(value))
    if (wrong !== undefined)
      throw new LapidaryError(
        'declaration_invalid',
        `${kind}([…]) has the ${typeof wrong} ${shown(wrong)}. ${MORE_DIGITS}`,
      )
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
  const values = domain === 'boolean' ? [false, true] : typeof domain === 'string' ? undefined : domain
  return Object.freeze({
    kind,
    values: values === undefined ? undefined : Object.freeze([...values, ...(optional ? [null] : [])]),
    type: typeof domain === 'string' ? domain : undefined,
    optional,
    frequencies: frequencies === undefined ? undefined : Object.freeze({ ...frequencies }),
    counted,
    listed,
    origin: originOf(kind, known),
  })
}

const LONG_NUMBERS: readonly string[] = ['bigint', 'decimal']
const MORE_DIGITS =
  "A facet has texts, booleans and numbers up to 2^53. Store a longer number as a text to filter by it, or order by it with type: 'decimal' for its ranges"

/** Tells whether an item's value can equal a declared one: a bigint can't, nor a number that was rounded before it came here. */
function isDeclarable(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/**
 * Returns the values that a facet was declared with. What the table keeps goes by these: booleans that are closed by themselves make no other
 * index and no other counts.
 */
export function declaredValues({ values, type }: Facet): readonly FacetValue[] | undefined {
  return type === undefined ? values : undefined
}

/** Returns the facets by which lists are made. */
export function listedFacets(facets: Facets): Facets {
  return Object.fromEntries(Object.entries(facets).filter(([, { listed }]) => listed))
}
