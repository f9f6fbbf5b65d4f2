import {
  ALWAYS,
  type Condition,
  facetsOf,
  isAlways,
  isNever,
  isWanted,
  NEVER,
  notOf,
  type Term,
  type Wanted,
  withWanted,
} from './condition.ts'
import type { FacetValue } from './facet.ts'
import { compareBytes } from './key-text.ts'
import { commonRange, isRange } from './value-range.ts'

/** Returns the condition that all of some hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  const parts = conjunctsOf(conditions).filter((each) => !isAlways(each))
  if (parts.some(isNever)) return NEVER
  return parts.length === 1 ? (parts[0] as Condition) : Object.freeze({ all: Object.freeze(parts) })
}

/** Returns the condition that at least one of some holds. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((each) => ('any' in each ? each.any : [each]))
  const parts = sorted(joinedTerms(flat, eitherOf)).filter((each) => !isNever(each))
  if (parts.some(isAlways)) return ALWAYS
  return parts.length === 1 ? (parts[0] as Condition) : Object.freeze({ any: Object.freeze(parts) })
}

/** Returns the conditions that all have to hold where some do, in canonical form; those that never hold are among them. */
export function conjunctsOf(conditions: readonly Condition[]): readonly Condition[] {
  const flat = conditions.flatMap((each) => ('all' in each ? each.all : [each]))
  return sorted(joinedTerms(flat, bothOf))
}

/** Returns a condition with each term, negated or not, in another form. */
export function mapTerms(condition: Condition, form: (wanted: Term, negated: boolean) => Condition): Condition {
  const each = (part: Condition): Condition => mapTerms(part, form)
  if ('all' in condition) return allOf(condition.all.map(each))
  if ('any' in condition) return anyOf(condition.any.map(each))
  return 'not' in condition ? form(condition.not, true) : form(condition, false)
}

type Join = (a: Part, b: Part) => Condition | undefined

/** A term, and whether it is negated. */
interface Part extends Term {
  readonly negated: boolean
}

/** Joins terms of the same facet to one where one says the same as both. */
function joinedTerms(conditions: readonly Condition[], join: Join): readonly Condition[] {
  const joined: Condition[] = []
  for (const each of conditions) {
    let whole = each
    for (let i = 0; i < joined.length; i++) {
      const both = joinedPair(joined[i] as Condition, whole, join)
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

function joinedPair(a: Condition, b: Condition, join: Join): Condition | undefined {
  const [one, other] = [partOf(a), partOf(b)]
  if (one === undefined || other === undefined || one.facet !== other.facet) return undefined
  return join(one, other)
}

function partOf(condition: Condition): Part | undefined {
  if ('facet' in condition) return { ...condition, negated: false }
  return 'not' in condition ? { ...condition.not, negated: true } : undefined
}

/** Returns what says that both terms hold. An item with several values of a facet may meet two terms by two of them. */
function bothOf(a: Part, b: Part): Condition | undefined {
  if (a.negated && b.negated) return setsOf(a, b, (these, those) => notOf(withWanted(a, [...these, ...those])))
  if (a.several) return undefined
  if (!a.negated && !b.negated) return withWanted(a, common(a.wanted, b.wanted))
  const [wanted, unwanted] = a.negated ? [b.wanted, a.wanted] : [a.wanted, b.wanted]
  return isRange(wanted)
    ? undefined
    : withWanted(
        a,
        wanted.filter((value) => !isWanted(unwanted, value)),
      )
}

/** Returns what says that one term or the other holds. */
function eitherOf(a: Part, b: Part): Condition | undefined {
  if (!a.negated && !b.negated) return setsOf(a, b, (these, those) => withWanted(a, [...these, ...those]))
  if (a.several) return undefined
  if (a.negated && b.negated) return notOf(withWanted(a, common(a.wanted, b.wanted)))
  const [wanted, unwanted] = a.negated ? [b.wanted, a.wanted] : [a.wanted, b.wanted]
  return isRange(unwanted)
    ? undefined
    : notOf(
        withWanted(
          a,
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

/** Returns a condition without what asks of one facet alone; undefined where nothing is left. */
export function withoutFacet(condition: Condition, facet: string): Condition | undefined {
  const parts = 'all' in condition ? condition.all : [condition]
  const left = allOf(
    parts.filter((part) => {
      const asked = facetsOf(part)
      // What never holds asks of none.
      return asked.length === 0 || asked.some((other) => other !== facet)
    }),
  )
  return isAlways(left) ? undefined : left
}
