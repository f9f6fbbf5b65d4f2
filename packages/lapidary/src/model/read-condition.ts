import { allOf, anyOf } from './combined-condition.ts'
import type { Condition } from './condition.ts'
import { type InputIssue, shown } from './errors.ts'
import type { Facets } from './facet.ts'
import { ownValue } from './own-value.ts'
import { type AskedOfFacet, isPlain, readTerms } from './read-terms.ts'

/** A filter as it was asked for. `AND`, `OR` and `NOT` hold filters; each other name is a facet's. */
export interface WhereInput {
  readonly [name: string]: AskedOfFacet | WhereInput | readonly WhereInput[] | undefined
}

/** The names by which filters are combined. No facet has one of them. */
export const COMBINING: readonly string[] = Object.freeze(['AND', 'OR', 'NOT'])

/** The most terms of a filter: each is what is asked of one facet at one place. */
const MOST_TERMS = 100
/** The most levels of `AND`, `OR` and `NOT` in each other. */
const MOST_LEVELS = 10

/** The part of a filter that is read. */
interface Place {
  readonly path: string
  readonly negated: boolean
  /** How many of `AND`, `OR` and `NOT` it is in. */
  readonly level: number
}

/**
 * Reads a filter as the conditions that all have to hold; none where it asks nothing. `NOT` goes down to the terms: of a facet with declared values
 * and one value an item it asks for the others.
 */
export function readConditions(facets: Facets, input: WhereInput, errors: InputIssue[]): readonly Condition[] {
  let terms = 0

  const joined = (parts: readonly Condition[], isEither: boolean): Condition | undefined => {
    if (parts.length === 0 || terms > MOST_TERMS) return undefined
    return isEither ? anyOf(parts) : allOf(parts)
  }

  const partsOf = (given: unknown, { path, negated, level }: Place): readonly Condition[] => {
    if (!isPlain(given)) {
      errors.push({ path, message: `takes a filter, an object of facets, not ${shown(given)}` })
      return []
    }
    return Object.entries(given).flatMap(([name, asked]) => {
      if (asked === undefined) return []
      const at = { path: path === WHERE ? name : `${path}.${name}`, negated, level }
      return COMBINING.includes(name) ? combined(name, asked, at) : termsOf(name, asked, at)
    })
  }

  const combined = (name: string, given: unknown, { path, negated, level }: Place): readonly Condition[] => {
    const refused = (message: string): readonly Condition[] => {
      errors.push({ path, message })
      return []
    }
    if (level === MOST_LEVELS)
      return refused(`is in more than ${MOST_LEVELS} levels of AND, OR and NOT; write it flatter`)
    const isList = Array.isArray(given)
    if (name === 'OR' && !isList) return refused(`takes a list of filters, not ${shown(given)}`)
    const filters: readonly unknown[] = isList ? given : [given]
    if (filters.length === 0 && name !== 'AND') return refused('has no filter; leave it out')
    const inner = (i: number): Place => {
      return { path: isList ? `${path}[${i}]` : path, negated: negated !== (name === 'NOT'), level: level + 1 }
    }
    // What all have to hold is joined with what is beside it.
    if (name === 'AND') return filters.flatMap((filter, i) => partsOf(filter, inner(i)))
    const parts = filters.flatMap((filter, i) => {
      const before = errors.length
      const at = inner(i)
      const part = joined(partsOf(filter, at), at.negated)
      // Something that is left undefined by mistake would let through all items, or none.
      if (part === undefined && terms <= MOST_TERMS && errors.length === before)
        errors.push({ path: at.path, message: 'asks nothing; leave it out, or name a facet' })
      return part ?? []
    })
    if (name === 'NOT') return parts
    const either = joined(parts, !negated)
    return either === undefined ? [] : [either]
  }

  const termsOf = (name: string, given: unknown, { path, negated }: Place): readonly Condition[] => {
    const facet = ownValue(facets, name)
    if (facet === undefined) {
      errors.push({ path, message: `is not a facet; the facets are ${Object.keys(facets).join(', ')}` })
      return []
    }
    const found = readTerms(name, facet, given, negated, (message) => errors.push({ path, message }))
    terms += found.length
    return found
  }

  const conditions = partsOf(input, { path: WHERE, negated: false, level: 0 })
  if (terms > MOST_TERMS) {
    const message = `has ${terms} terms; a filter has at most ${MOST_TERMS}. Name several values of a facet in one list`
    errors.push({ path: WHERE, message })
  }
  return conditions
}

const WHERE = 'where'
