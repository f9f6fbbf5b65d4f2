import type { FacetValue, ValueRange } from './facet.ts'
import { compareValues } from './facet-values.ts'
import { compareBytes } from './key-text.ts'
import { isEmptyValueRange, isInRange, isRange, valueRange } from './value-range.ts'

/** The values, or the range of numbers or texts, that a facet may have. */
export type Wanted = readonly FacetValue[] | ValueRange

/** Holds for an item that has a wanted value of a facet: its one value, or one of several. */
export interface Term {
  readonly facet: string
  readonly wanted: Wanted
  /** Whether an item may have several values of the facet, and so meet two terms by two of them. */
  readonly several?: true
}

/**
 * A question about the facets of one item, as frozen data in canonical form: equal questions are equal objects. Values are sorted, without
 * repeats; a `not` is of a term; an `all` holds no `all`, and an `any` no `any`; what they hold is sorted, without repeats, and two or more.
 * Without anything an `all` always holds, and an `any` never.
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Term }
  | Term

/** Always holds. */
export const ALWAYS: Condition = Object.freeze({ all: Object.freeze([]) })
/** Holds for no item. */
export const NEVER: Condition = Object.freeze({ any: Object.freeze([]) })

/** Returns the condition that an item has a wanted value of a facet. */
export function term(facet: string, wanted: Wanted, several = false): Term {
  const asked = { facet, wanted: isRange(wanted) ? valueRange(wanted) : sortedValues(wanted) }
  return Object.freeze(several ? { ...asked, several } : asked)
}

/** Returns a term about the same facet. */
export function withWanted({ facet, several }: Term, wanted: Wanted): Term {
  return term(facet, wanted, several)
}

/** Returns the condition that an item has no wanted value of a facet. */
export function notOf(negated: Term): Condition {
  return Object.freeze({ not: negated })
}

/** Tells whether a condition holds for an item, by its values of each facet. */
export function matches(condition: Condition, valuesOf: (facet: string) => readonly FacetValue[]): boolean {
  if ('all' in condition) return condition.all.every((each) => matches(each, valuesOf))
  if ('any' in condition) return condition.any.some((each) => matches(each, valuesOf))
  if ('not' in condition) return !matches(condition.not, valuesOf)
  return valuesOf(condition.facet).some((value) => isWanted(condition.wanted, value))
}

/** Returns the facets that a condition asks about, each once. */
export function facetsOf(condition: Condition): readonly string[] {
  return [...new Set(termsOf(condition).map(({ facet }) => facet))].sort(compareBytes)
}

/** Returns the terms of a condition, negated ones too. */
export function termsOf(condition: Condition): readonly Term[] {
  if ('all' in condition) return condition.all.flatMap(termsOf)
  if ('any' in condition) return condition.any.flatMap(termsOf)
  return ['not' in condition ? condition.not : condition]
}

/** Tells whether something wanted is a value. */
export function isWanted(wanted: Wanted, value: FacetValue): boolean {
  return isRange(wanted) ? isInRange(wanted, value) : wanted.includes(value)
}

/** Tells whether nothing is wanted. */
export function isNothing(wanted: Wanted): boolean {
  return isRange(wanted) ? isEmptyValueRange(wanted) : wanted.length === 0
}

/** Tells whether no item can meet a condition, by the condition alone. */
export function isNever(condition: Condition): boolean {
  if ('all' in condition) return condition.all.some(isNever)
  if ('any' in condition) return condition.any.every(isNever)
  return 'not' in condition ? false : isNothing(condition.wanted)
}

/** Tells whether each item meets a condition, by the condition alone. */
export function isAlways(condition: Condition): boolean {
  if ('all' in condition) return condition.all.every(isAlways)
  if ('any' in condition) return condition.any.some(isAlways)
  return 'not' in condition && isNothing(condition.not.wanted)
}

function sortedValues(values: readonly FacetValue[]): readonly FacetValue[] {
  return Object.freeze([...new Set(values)].sort(compareValues))
}
