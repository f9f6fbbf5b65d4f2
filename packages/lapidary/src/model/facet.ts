import { LapidaryError, shown } from './errors.ts'
import { byteLength, escapeComponent } from './key-text.ts'

/** What a facet's attribute may hold. */
export type FacetValue = string | number | boolean

/** A share (0 to 1) of the items for each value, as text; used to price plans until statistics exist. */
export type Frequencies = Readonly<Record<string, number>>

interface FacetOptions {
  /** Share of the items that has each value, 0 to 1. Values that are not named share what is left. */
  readonly frequencies?: Frequencies
}

/** A facet filtered by one value or not at all. */
export interface OneOf<V extends FacetValue = FacetValue> {
  readonly kind: 'oneOf'
  readonly values: readonly V[] | undefined
  readonly frequencies: Frequencies | undefined
}

/** A facet filtered by any set of values or not at all. */
export interface AnyOf<V extends FacetValue = FacetValue> {
  readonly kind: 'anyOf'
  readonly values: readonly V[] | undefined
  readonly frequencies: Frequencies | undefined
}

/** How one attribute can be filtered. */
export type Facet = OneOf | AnyOf

/** Facets by the name of their attribute. */
export type Facets = Readonly<Record<string, Facet>>

/**
 * A facet whose filter is one value, or absent; closed when its values are given, open otherwise.
 *
 * @example
 * ```ts
 * const facets = { language: oneOf(), status: oneOf(['OPEN', 'CLOSED']) }
 * ```
 */
export function oneOf<const V extends FacetValue = string>(
  values?: readonly V[],
  options: FacetOptions = {},
): OneOf<V> {
  return facet('oneOf', values, options)
}

/**
 * A facet whose filter is any set of values, or absent; closed when its values are given, open otherwise.
 *
 * @example
 * ```ts
 * const facets = { rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }) }
 * ```
 */
export function anyOf<const V extends FacetValue = string>(
  values?: readonly V[],
  options: FacetOptions = {},
): AnyOf<V> {
  return facet('anyOf', values, options)
}

function facet<K extends Facet['kind'], V extends FacetValue>(
  kind: K,
  values: readonly V[] | undefined,
  { frequencies }: FacetOptions,
): { kind: K; values: readonly V[] | undefined; frequencies: Frequencies | undefined } {
  if (values !== undefined) {
    if (values.length === 0)
      throw new LapidaryError('declaration_invalid', `${kind}([]) has no values; give some, or none for an open facet`)
    const texts = new Set(values.map(String))
    if (texts.size !== values.length) {
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
    values: values === undefined ? undefined : Object.freeze([...values]),
    frequencies: frequencies === undefined ? undefined : Object.freeze({ ...frequencies }),
  })
}

/** What is wrong with a facet's value, if anything; the same rule for filters and for items. */
export function valueProblem(facet: Facet, value: unknown): string | undefined {
  if (facet.values !== undefined) {
    return facet.values.includes(value as FacetValue)
      ? undefined
      : `must be one of ${facet.values.map(shown).join(', ')}, not ${shown(value)}`
  }
  if (typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean') return undefined
  if (typeof value !== 'string') return `must be a text, a number or a boolean, not ${shown(value)}`
  if (!value.isWellFormed()) return `must be well-formed Unicode, not ${shown(value)}`
  if (byteLength(escapeComponent(value)) > 256) return `must be at most 256 bytes in a key, not ${shown(value)}`
  return undefined
}

/** The values of a facet as filters accept them. */
export type ValueOf<F> = F extends { readonly values: readonly (infer V)[] | undefined } ? V : never

/** The filter that a set of facets accepts: one value for `oneOf`, one or several for `anyOf`; absent = any. */
export type Where<F extends Facets> = {
  readonly [K in keyof F]?: F[K] extends AnyOf ? ValueOf<F[K]> | readonly ValueOf<F[K]>[] : ValueOf<F[K]>
}
