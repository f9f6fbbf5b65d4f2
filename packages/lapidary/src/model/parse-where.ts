import { allOf, conjunctsOf, mapTerms } from './combined-condition.ts'
import { type Condition, isAlways, notOf, type Term, type Wanted, withWanted } from './condition.ts'
import { conditionWithin } from './condition-within.ts'
import type { InputIssue } from './errors.ts'
import type { Facet, Facets, FacetValue, ValueRange } from './facet.ts'
import { compareValues } from './facet-values.ts'
import { compareBytes } from './key-text.ts'
import type { Order } from './order.ts'
import { hasPosition } from './position.ts'
import { readConditions, type WhereInput } from './read-condition.ts'
import { MOST_VALUES } from './read-terms.ts'
import { isInRange, isRange } from './value-range.ts'

/** A filter in canonical form, by what its parts are for. */
interface ParsedWhere {
  /** What each facet may have where all of it has to hold: lists are chosen by these. */
  readonly where: Readonly<Record<string, Wanted>>
  /** Facets of which all declared values are named. */
  readonly whole: Readonly<Record<string, readonly FacetValue[]>>
  /** Ranges of closed facets as they were asked. */
  readonly ranges: Readonly<Record<string, ValueRange>>
  /** The range that is asked of the order's attribute. */
  readonly ofOrder: ValueRange | undefined
  /** What has to hold beside it; undefined for nothing. */
  readonly also: Condition | undefined
}

/** Checks a filter against the declaration and brings it into canonical form. */
export function parseWhere(facets: Facets, input: WhereInput, order: Order, errors: InputIssue[]): ParsedWhere {
  const read = readConditions(facets, input, errors)
  // What is refused may be of any size.
  let asked = errors.length > 0 ? [] : conjunctsOf(read)
  for (;;) {
    const { taken, others, ...parsed } = splitConditions(facets, asked, order)
    const declared = mapTerms(allOf(others), (term, negated) => declaredTerm(facets, term, negated))
    const also = conditionWithin(declared, namedValues(parsed.where))
    if (isAlways(also)) return { ...parsed, also: undefined }
    if (JSON.stringify(also) === JSON.stringify(allOf(others))) return { ...parsed, also }
    // What is left may be what lists are chosen by.
    asked = conjunctsOf([...taken, also])
  }
}

interface Split extends Omit<ParsedWhere, 'also'> {
  /** The terms that these were made of. */
  readonly taken: readonly Term[]
  readonly others: readonly Condition[]
}

/** Parts conditions that all have to hold into those that lists are chosen by, and the others. */
function splitConditions(facets: Facets, conditions: readonly Condition[], order: Order): Split {
  const where: Record<string, Wanted> = {}
  const whole: Record<string, readonly FacetValue[]> = {}
  const ranges: Record<string, ValueRange> = {}
  const taken: Term[] = []
  const others = conditions.filter((each) => !('facet' in each))
  let ofOrder: ValueRange | undefined
  for (const each of conditions.filter((each) => 'facet' in each).sort(byFacet)) {
    const { facet: name, wanted } = each
    if (Object.hasOwn(where, name) || Object.hasOwn(whole, name)) {
      others.push(each)
      continue
    }
    const facet = facets[name] as Facet
    const isOfOrder = isRange(wanted) && name === order.attribute && isRangeOfOrder(order, wanted)
    const named = isRange(wanted) ? askedByRange(facet, wanted) : wanted
    const isWhole = !isRange(named) && facet.values?.length === named.length
    if (isOfOrder) ofOrder = wanted
    else if (isWhole) whole[name] = named
    else if (isRange(named) || named.length <= mostValues(facet)) where[name] = named
    else {
      others.push(withWanted(each, named))
      continue
    }
    taken.push(each)
    if (isRange(wanted) && !isOfOrder && facet.values !== undefined) ranges[name] = wanted
  }
  return { where, whole, ranges, ofOrder, taken, others }
}

/** Returns the facets of a filter of which it names values, with these. */
function namedValues(where: Readonly<Record<string, Wanted>>): Readonly<Record<string, readonly FacetValue[]>> {
  return Object.fromEntries(
    Object.entries(where).flatMap(([name, wanted]) => (isRange(wanted) ? [] : [[name, wanted]])),
  )
}

/** The most values of a facet that lists are chosen by. */
function mostValues({ kind }: Facet): number {
  return kind === 'oneOf' ? 1 : MOST_VALUES
}

/** Sorts terms by their facets, as filters are told; of one facet, the one of the fewest values first. */
function byFacet(a: Term, b: Term): number {
  const size = ({ wanted }: Term): number => (isRange(wanted) ? 0 : wanted.length)
  return compareBytes(a.facet, b.facet) || size(a) - size(b)
}

/** Returns the filter that a range stands for: for a closed facet the values in it, where a filter may ask for so many. */
function askedByRange(facet: Facet, range: ValueRange): Wanted {
  const within = valuesWithin(facet, range)
  return within === undefined || within.length > mostValues(facet) ? range : within
}

function valuesWithin({ values }: Facet, range: ValueRange): readonly FacetValue[] | undefined {
  const within = values?.filter((value) => isInRange(range, value)).sort(compareValues)
  return within && Object.freeze(within)
}

/** Returns a term with the declared values that a range of them stands for. */
function declaredTerm(facets: Facets, given: Term, negated: boolean): Condition {
  const { facet, wanted } = given
  const within = isRange(wanted) ? valuesWithin(facets[facet] as Facet, wanted) : undefined
  const asked = within === undefined ? given : withWanted(given, within)
  return negated ? notOf(asked) : asked
}

/** Tells whether the ends of a range are values of the order, so that the range is one of the list itself. */
function isRangeOfOrder(order: Order, { from, to }: ValueRange): boolean {
  return [from, to].every((end) => end === undefined || hasPosition(order, { [order.attribute]: end }))
}
