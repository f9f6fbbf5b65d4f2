import { mapTerms } from './combined-condition.ts'
import { ALWAYS, type Condition, isWanted, NEVER, notOf } from './condition.ts'
import type { FacetValue } from './facet.ts'
import { compareValues } from './facet-values.ts'
import { ownValue } from './own-value.ts'
import { isRange } from './value-range.ts'

/** Returns the values that an item may have of a facet where it meets a condition; undefined where the condition leaves that open. */
export function impliedValues(condition: Condition, facet: string): readonly FacetValue[] | undefined {
  if ('all' in condition) {
    const each = condition.all.map((part) => impliedValues(part, facet)).filter((values) => values !== undefined)
    return each.toSorted((a, b) => a.length - b.length)[0]
  }
  if ('any' in condition) {
    const each = condition.any.map((part) => impliedValues(part, facet))
    return each.includes(undefined)
      ? undefined
      : [...new Set(each.flatMap((values) => values ?? []))].sort(compareValues)
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
): Condition {
  return mapTerms(condition, (asked, negated) => {
    const values = ownValue(held, asked.facet)
    if (values?.every((value) => isWanted(asked.wanted, value))) return negated ? NEVER : ALWAYS
    const isNone = values !== undefined && !values.some((value) => isWanted(asked.wanted, value))
    if (isNone && !asked.several) return negated ? ALWAYS : NEVER
    return negated ? notOf(asked) : asked
  })
}
