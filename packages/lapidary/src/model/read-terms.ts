import { type Condition, isWanted, notOf, term, type Wanted } from './condition.ts'
import type { Facet, FacetValue, ValueRange } from './facet.ts'
import type { Beginning, HeldValues } from './facet-types.ts'
import { typedValue, valueProblem } from './facet-values.ts'
import { isPlainObject } from './plain-object.ts'
import { beginningProblem, rangeProblem, textsBeginning } from './value-range.ts'

/** What a filter may ask of one facet, before it is checked against the declaration. */
export type AskedOfFacet = FacetValue | readonly FacetValue[] | ValueRange | Beginning | HeldValues

/** DynamoDB compares with at most 100 values in one `IN`. */
export const MOST_VALUES = 100

const HELD: readonly string[] = ['has', 'hasEvery', 'hasNone'] satisfies (keyof HeldValues)[]

/**
 * Reads what a filter asks of one facet: the conditions that all have to hold, or, where it is negated, of which one has to.
 *
 * @param refuse Told what is wrong; what is refused asks nothing.
 */
export function readTerms(
  name: string,
  facet: Facet,
  given: unknown,
  negated: boolean,
  refuse: (message: string) => void,
): readonly Condition[] {
  const asked = (wanted: Wanted | undefined, unwanted = negated): readonly Condition[] => {
    if (wanted === undefined) return []
    return [unwanted ? withoutValues(name, facet, wanted) : term(name, wanted, facet.kind === 'eachOf')]
  }
  const valuesOf = (values: unknown): readonly FacetValue[] | undefined => readValues(facet, values, refuse)
  const refused = (message: string): readonly Condition[] => {
    refuse(message)
    return []
  }
  if (!isPlain(given)) return asked(valuesOf(given))

  const names = Object.keys(given)
  if (facet.kind === 'eachOf' && names.some((each) => HELD.includes(each))) {
    const other = names.find((each) => !HELD.includes(each))
    if (other !== undefined) return refused(`takes has, hasEvery and hasNone, not ${other}`)
    const { has, hasEvery, hasNone } = given as { readonly [K in keyof HeldValues]: unknown }
    const none = hasNone === undefined ? [] : valuesOf(hasNone)
    return [
      ...asked(has === undefined ? undefined : valuesOf(has)),
      ...(hasEvery === undefined ? [] : (valuesOf(hasEvery) ?? [])).flatMap((value) => asked([value])),
      ...(none?.length === 0 ? [] : asked(none, !negated)),
    ]
  }
  if (names.includes('startsWith')) {
    const { startsWith } = given as unknown as Beginning
    const other = names.find((each) => each !== 'startsWith')
    const problem = other === undefined ? beginningProblem(facet, startsWith) : `takes startsWith without ${other}`
    return problem === undefined ? asked(textsBeginning(startsWith)) : refused(problem)
  }
  const range = given as ValueRange
  const problem = rangeProblem(facet, range)
  if (problem !== undefined) return refused(problem)
  return range.from === undefined && range.to === undefined ? [] : asked(range)
}

/** Tells whether something is an object of names, and no value, list, or object of a class. */
export function isPlain(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given) && isPlainObject(given)
}

/** Returns the condition that an item has none of some values; of a facet with declared values, and one value an item, that it has another. */
function withoutValues(name: string, { kind, values }: Facet, wanted: Wanted): Condition {
  if (values === undefined || kind === 'eachOf') return notOf(term(name, wanted, kind === 'eachOf'))
  return term(
    name,
    values.filter((value) => !isWanted(wanted, value)),
  )
}

function readValues(
  facet: Facet,
  given: unknown,
  refuse: (message: string) => void,
): readonly FacetValue[] | undefined {
  const values = [given].flat().map((value) => typedValue(facet, value)) as FacetValue[]
  if (facet.kind === 'oneOf' && values.length !== 1) {
    refuse(`takes one value, not ${values.length}; declare it with anyOf to filter by several`)
    return undefined
  }
  if (values.length > MOST_VALUES) {
    refuse(`takes at most ${MOST_VALUES} values, not ${values.length}`)
    return undefined
  }
  const problems = values.flatMap((value) => valueProblem(facet, value) ?? [])
  for (const problem of problems) refuse(problem)
  return problems.length === 0 ? values : undefined
}
