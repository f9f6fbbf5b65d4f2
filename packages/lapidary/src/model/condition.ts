import type { FacetValue, ValueRange } from './facet.ts'
import { compareValues } from './facet-values.ts'
import { compareBytes } from './key-text.ts'
import { ownValue } from './own-value.ts'
import { commonRange, isEmptyValueRange, isInRange, isRange, valueRange } from './value-range.ts'

/** The values, or the range of numbers or texts, that a facet may have. */
export type Wanted = readonly FacetValue[] | ValueRange

/** Holds for an item that has a wanted value of a facet: its one value, or one of several. */
export interface Term {
  readonly facet: string
  readonly wanted: Wanted
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

/** Tells the facets of which an item may have several values. */
export type HasSeveral = (facet: string) => boolean

/** Always holds. */
export const ALWAYS: Condition = Object.freeze({ all: Object.freeze([]) })
/** Holds for no item. */
export const NEVER: Condition = Object.freeze({ any: Object.freeze([]) })

/** Returns the condition that an item has a wanted value of a facet. */
export function term(facet: string, wanted: Wanted): Term {
  return Object.freeze({ facet, wanted: isRange(wanted) ? valueRange(wanted) : sortedValues(wanted) })
}

/** Returns the condition that an item has no wanted value of a facet. */
export function notOf(negated: Term): Condition {
  return Object.freeze({ not: negated })
}

/** Returns the condition that all of some hold. */
export function allOf(conditions: readonly Condition[], hasSeveral: HasSeveral): Condition {
  const parts = conjunctsOf(conditions, hasSeveral).filter((each) => !isAlways(each))
  if (parts.some(isNever)) return NEVER
  return parts.length === 1 ? (parts[0] as Condition) : Object.freeze({ all: Object.freeze(parts) })
}

/** Returns the condition that at least one of some holds. */
export function anyOf(conditions: readonly Condition[], hasSeveral: HasSeveral): Condition {
  const flat = conditions.flatMap((each) => ('any' in each ? each.any : [each]))
  const parts = sorted(joinedTerms(flat, eitherOf, hasSeveral)).filter((each) => !isNever(each))
  if (parts.some(isAlways)) return ALWAYS
  return parts.length === 1 ? (parts[0] as Condition) : Object.freeze({ any: Object.freeze(parts) })
}

/** Returns the conditions that all have to hold where some do, in canonical form; those that never hold are among them. */
export function conjunctsOf(conditions: readonly Condition[], hasSeveral: HasSeveral): readonly Condition[] {
  const flat = conditions.flatMap((each) => ('all' in each ? each.all : [each]))
  return sorted(joinedTerms(flat, bothOf, hasSeveral))
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

/** Returns a condition with each term, negated or not, in another form. */
export function mapTerms(
  condition: Condition,
  form: (wanted: Term, negated: boolean) => Condition,
  hasSeveral: HasSeveral,
): Condition {
  const each = (part: Condition): Condition => mapTerms(part, form, hasSeveral)
  if ('all' in condition) return allOf(condition.all.map(each), hasSeveral)
  if ('any' in condition) return anyOf(condition.any.map(each), hasSeveral)
  return 'not' in condition ? form(condition.not, true) : form(condition, false)
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

/** Returns the values that an item may have of a facet where it meets a condition; undefined where the condition leaves that open. */
export function impliedValues(condition: Condition, facet: string): readonly FacetValue[] | undefined {
  if ('all' in condition) {
    const each = condition.all.map((part) => impliedValues(part, facet)).filter((values) => values !== undefined)
    return each.toSorted((a, b) => a.length - b.length)[0]
  }
  if ('any' in condition) {
    const each = condition.any.map((part) => impliedValues(part, facet))
    return each.includes(undefined) ? undefined : sortedValues(each.flatMap((values) => values ?? []))
  }
  return 'not' in condition || condition.facet !== facet || isRange(condition.wanted) ? undefined : condition.wanted
}

/**
 * Returns what is left of a condition for items of which it is known that each has one of some values of some facets: {@link ALWAYS} or
 * {@link NEVER} where nothing is left to ask.
 */
export function conditionWithin(
  condition: Condition,
  held: Readonly<Record<string, readonly FacetValue[]>>,
  hasSeveral: HasSeveral,
): Condition {
  return mapTerms(
    condition,
    (asked, negated) => {
      const values = ownValue(held, asked.facet)
      if (values?.every((value) => isWanted(asked.wanted, value))) return negated ? NEVER : ALWAYS
      const isNone = values !== undefined && !values.some((value) => isWanted(asked.wanted, value))
      if (isNone && !hasSeveral(asked.facet)) return negated ? ALWAYS : NEVER
      return negated ? notOf(asked) : asked
    },
    hasSeveral,
  )
}

type Join = (a: Part, b: Part, several: boolean) => Condition | undefined

/** A term, and whether it is negated. */
interface Part extends Term {
  readonly negated: boolean
}

/** Joins terms of the same facet to one where one says the same as both. */
function joinedTerms(conditions: readonly Condition[], join: Join, hasSeveral: HasSeveral): readonly Condition[] {
  const joined: Condition[] = []
  for (const each of conditions) {
    let whole = each
    for (let i = 0; i < joined.length; i++) {
      const both = joinedPair(joined[i] as Condition, whole, join, hasSeveral)
      if (both === undefined) continue
      // What it has become may be joined with one that came before.
      whole = both
      joined.splice(i, 1)
      i = -1
    }
    joined.push(whole)
  }
  return joined
}

function joinedPair(a: Condition, b: Condition, join: Join, hasSeveral: HasSeveral): Condition | undefined {
  const [one, other] = [partOf(a), partOf(b)]
  if (one === undefined || other === undefined || one.facet !== other.facet) return undefined
  return join(one, other, hasSeveral(one.facet))
}

function partOf(condition: Condition): Part | undefined {
  if ('facet' in condition) return { ...condition, negated: false }
  return 'not' in condition ? { ...condition.not, negated: true } : undefined
}

/** Returns what says that both terms hold. An item with several values of a facet may meet two terms by two of them. */
function bothOf(a: Part, b: Part, several: boolean): Condition | undefined {
  if (a.negated && b.negated) return setsOf(a, b, (these, those) => notOf(term(a.facet, [...these, ...those])))
  if (several) return undefined
  if (!a.negated && !b.negated) return term(a.facet, common(a.wanted, b.wanted))
  const [wanted, unwanted] = a.negated ? [b.wanted, a.wanted] : [a.wanted, b.wanted]
  return isRange(wanted)
    ? undefined
    : term(
        a.facet,
        wanted.filter((value) => !isWanted(unwanted, value)),
      )
}

/** Returns what says that one term or the other holds. */
function eitherOf(a: Part, b: Part, several: boolean): Condition | undefined {
  if (!a.negated && !b.negated) return setsOf(a, b, (these, those) => term(a.facet, [...these, ...those]))
  if (several) return undefined
  if (a.negated && b.negated) return notOf(term(a.facet, common(a.wanted, b.wanted)))
  const [wanted, unwanted] = a.negated ? [b.wanted, a.wanted] : [a.wanted, b.wanted]
  return isRange(unwanted)
    ? undefined
    : notOf(
        term(
          a.facet,
          unwanted.filter((value) => !isWanted(wanted, value)),
        ),
      )
}

function setsOf(
  a: Part,
  b: Part,
  join: (these: readonly FacetValue[], those: readonly FacetValue[]) => Condition,
): Condition | undefined {
  return isRange(a.wanted) || isRange(b.wanted) ? undefined : join(a.wanted, b.wanted)
}

/** Returns what two terms of one value both want. */
function common(a: Wanted, b: Wanted): Wanted {
  if (isRange(a) && isRange(b)) return commonRange(a, b) ?? []
  const [values, other] = isRange(a) ? [b as readonly FacetValue[], a] : [a, b]
  return values.filter((value) => isWanted(other, value))
}

/** Returns conditions without repeats, in the order of their JSON. */
function sorted(conditions: readonly Condition[]): readonly Condition[] {
  const named = new Map(conditions.map((each) => [JSON.stringify(each), each]))
  return [...named].sort(([a], [b]) => compareBytes(a, b)).map(([, each]) => each)
}

function sortedValues(values: readonly FacetValue[]): readonly FacetValue[] {
  return Object.freeze([...new Set(values)].sort(compareValues))
}
