import { shown } from './errors.ts'
import { type EachOf, type Facet, type FacetValue, MOST_ITEM_VALUES } from './facet.ts'
import { heldValue } from './facet-origin.ts'
import { byteLength, compareBytes, escapeComponent } from './key-text.ts'

/**
 * Reads a filter's value in the facet's type: a text, from an address or a command line, becomes the number or boolean that it reads as. A text
 * that does not read as a value of the facet stays, and {@link valueProblem} refuses it.
 */
export function typedValue(facet: Facet, given: unknown): unknown {
  if (typeof given !== 'string') return given
  if (facet.optional && given === 'null') return null
  if (facet.values !== undefined) {
    return facet.values.includes(given) ? given : (facet.values.find((value) => String(value) === given) ?? given)
  }
  if (facet.type === 'boolean' && (given === 'true' || given === 'false')) return given === 'true'
  // One text for one number: 05 and 5.0 are refused, so that a cursor of `5` is not a cursor of another query.
  return facet.type === 'number' && String(Number(given)) === given ? Number(given) : given
}

/** Says what is wrong with an item's value of a facet, if anything; an optional facet may be absent. */
export function itemProblem(facet: Facet, value: unknown): string | undefined {
  if (facet.kind === 'eachOf') return (value ?? null) === null ? undefined : valuesProblem(facet, value)
  return valueProblem(facet, facet.optional ? (value ?? null) : value)
}

function valuesProblem(facet: EachOf, given: unknown): string | undefined {
  const { separator } = facet
  if (separator === undefined && !Array.isArray(given)) return `must be an array of values, not ${shown(given)}`
  if (separator !== undefined && typeof given !== 'string') return `must be a text, not ${shown(given)}`
  const values: readonly unknown[] =
    separator === undefined ? [...new Set(given as unknown[])] : pathBranches(String(given), separator)
  if (values.length > MOST_ITEM_VALUES) {
    const what = separator === undefined ? 'values' : `parts, by ${shown(separator)}`
    return `has ${values.length} ${what}; at most ${MOST_ITEM_VALUES} are listed`
  }
  for (const value of values) {
    const problem = value === null ? 'must not hold null' : valueProblem(facet, value)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Says what is wrong with a facet's value, if anything; the same rule for filters and for items. */
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
  if (facet.kind === 'eachOf' && facet.separator !== undefined && value.split(facet.separator).includes(''))
    return `must be a path without empty parts, by ${shown(facet.separator)}, not ${shown(value)}`
  if (byteLength(escapeComponent(value)) > 256) return `must be at most 256 bytes in a key, not ${shown(value)}`
  return undefined
}

/**
 * Returns the value by which an item is listed and counted: null where the attribute is null or absent.
 *
 * @param facet The facet, which may be read elsewhere than from the attribute of its name.
 * @example
 * ```ts run
 * const channel = facetValueOf({ id: '1' }, 'channel') // null
 * ```
 */
export function facetValueOf(
  item: Readonly<Record<string, unknown>>,
  name: string,
  facet?: Pick<Facet, 'origin'>,
): FacetValue {
  return (heldValue(item, name, facet) ?? null) as FacetValue
}

/** The way in which an item's values of an `eachOf` facet are stored in its attribute. */
export type Each = Pick<EachOf, 'separator'>

const NO_VALUES: readonly FacetValue[] = Object.freeze([null])

/**
 * Returns the values by which an item is listed and counted, each once, in the item's order: only null where it has none.
 *
 * @param facet The facet; undefined for an attribute of which an item has one value.
 * @example
 * ```ts run
 * const tags = facetValuesOf({ id: '1', tags: ['slow', 'login', 'slow'] }, 'tags', eachOf()) // ['slow', 'login']
 * ```
 */
export function facetValuesOf(
  item: Readonly<Record<string, unknown>>,
  name: string,
  facet: Facet | undefined,
): readonly FacetValue[] {
  return listedValues(heldValue(item, name, facet), eachOfFacet(facet))
}

/**
 * Returns the values by which an item is listed that holds something of a facet.
 *
 * @param each The facet where it is an `eachOf` facet; undefined for any other kind, of which an item has one value.
 */
export function listedValues(held: unknown, each: Each | undefined): readonly FacetValue[] {
  if (each === undefined) return [(held ?? null) as FacetValue]
  const values = each.separator === undefined ? held : typeof held === 'string' && pathBranches(held, each.separator)
  if (!Array.isArray(values)) return NO_VALUES
  // Compared by text, as keys hold them.
  const unique = new Map(values.filter(isValue).map((value) => [String(value), value] as const))
  return unique.size === 0 ? NO_VALUES : [...unique.values()]
}

/**
 * Returns the facet where items may have several values of it, else undefined.
 *
 * @example
 * ```ts run
 * const none = eachOfFacet(oneOf()) // undefined
 * ```
 */
export function eachOfFacet(facet: Facet | undefined): EachOf | undefined {
  return facet?.kind === 'eachOf' ? facet : undefined
}

/** Returns the branches that a path is in: `electronics`, `electronics/audio`. */
function pathBranches(path: string, separator: string): readonly string[] {
  const parts = path.split(separator)
  return parts.map((_, i) => parts.slice(0, i + 1).join(separator))
}

function isValue(value: unknown): value is NonNullable<FacetValue> {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The magnitudes that DynamoDB's numbers hold exactly, beside 0. */
export const SMALLEST_NUMBER = 1e-130
export const LARGEST_NUMBER: number = Number.MAX_SAFE_INTEGER

/** Tells whether a value is a finite number that DynamoDB holds. -0 is refused: a key reads it as 0, and a filter might take it for another value. */
function isNumber(value: unknown): boolean {
  if (typeof value !== 'number' || Object.is(value, -0)) return false
  return value === 0 || (Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= LARGEST_NUMBER)
}

/** Compares the values of a facet in the order of a canonical query. */
export function compareValues(a: FacetValue, b: FacetValue): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareBytes(String(a), String(b))
}
