import { type Facet, type NumberRange, oneOf } from './facet.ts'
import { valueProblem } from './facet-values.ts'
import { isPlainObject } from './plain-object.ts'

/** Tells whether a filter asks for a range of numbers, and not for values. */
export function isRange(wanted: unknown): wanted is NumberRange {
  return typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) && isPlainObject(wanted)
}

/** Tells whether a value is a number in a range. */
export function isInRange(
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: NumberRange,
  value: unknown,
): boolean {
  return typeof value === 'number' && value >= from && value < to
}

/** Tells whether no number is in a range. */
export function isEmptyNumberRange({ from, to }: NumberRange): boolean {
  return from !== undefined && to !== undefined && from >= to
}

/** Says what is wrong with a range that a filter asks of a facet, if anything. */
export function rangeProblem(facet: Facet, range: NumberRange): string | undefined {
  if (Object.keys(range).length === 0) return 'takes a range with from, to or both'
  const other = Object.keys(range).find((key) => key !== 'from' && key !== 'to')
  if (other !== undefined) return `takes a range of from and to, not ${other}`
  if (facet.kind === 'eachOf') return 'takes values, not a range: an item may have several of it; name them'
  if (!hasNumbers(facet)) return 'takes values, not a range: it holds no numbers'
  for (const value of [range.from, range.to]) {
    const problem = value === undefined ? undefined : valueProblem(ANY_NUMBER, value)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Brings a range into canonical form. */
export function numberRange({ from, to }: NumberRange): NumberRange {
  return Object.freeze({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) })
}

/** Tells whether a facet holds numbers, so that a filter can ask for a range of them. */
export function hasNumbers({ values, type }: Facet): boolean {
  return values === undefined ? type === 'number' : values.some((value) => typeof value === 'number')
}

const ANY_NUMBER: Facet = oneOf('number')
