import { shown } from './errors.ts'
import { type Facet, type FacetValue, oneOf, type TextRange, type ValueRange } from './facet.ts'
import { valueProblem } from './facet-values.ts'
import { compareBytes } from './key-text.ts'
import { isPlainObject } from './plain-object.ts'

/** Tells whether a filter asks for a range of numbers or of texts, and not for values. */
export function isRange(wanted: unknown): wanted is ValueRange {
  return typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) && isPlainObject(wanted)
}

/** Tells whether a value is in a range: a number in one of numbers, a text, by its UTF-8 bytes, in one of texts. */
export function isInRange({ from, to }: ValueRange, value: unknown): boolean {
  if (typeof value !== typeof (from ?? to)) return false
  return (from === undefined || compareEnds(from, value) <= 0) && (to === undefined || compareEnds(value, to) < 0)
}

/** Tells whether no value is in a range. */
export function isEmptyValueRange({ from, to }: ValueRange): boolean {
  return to === '' || (from !== undefined && to !== undefined && compareEnds(from, to) >= 0)
}

/** Says what is wrong with a range that a filter asks of a facet, if anything. */
export function rangeProblem(facet: Facet, range: ValueRange): string | undefined {
  if (Object.keys(range).length === 0) return 'takes a range with from, to or both'
  const other = Object.keys(range).find((key) => key !== 'from' && key !== 'to')
  if (other !== undefined) return `takes a range of from and to, not ${other}`
  if (facet.kind === 'eachOf') return 'takes values, not a range: an item may have several of it; name them'
  const ends: readonly unknown[] = [range.from, range.to].filter((end) => end !== undefined)
  const isOfTexts = ends.some((end) => typeof end === 'string') && holds(facet, 'string')
  const isOpen = ends.length === 0 && holds(facet, 'string')
  if (!isOfTexts && !isOpen && !holds(facet, 'number'))
    return holds(facet, 'string')
      ? `takes a range of texts, since it holds no numbers, not of ${shown(ends[0])}`
      : 'takes values, not a range: it holds no numbers and no texts'
  for (const end of ends) {
    const problem = valueProblem(isOfTexts ? ANY_TEXT : ANY_NUMBER, end)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Says what is wrong with the beginning of texts that a filter asks of a facet, if anything. */
export function beginningProblem(facet: Facet, beginning: unknown): string | undefined {
  if (facet.kind === 'eachOf') return 'takes values, not startsWith: an item may have several of it; name them'
  if (!holds(facet, 'string')) return 'takes no startsWith: it holds no texts'
  return valueProblem(ANY_TEXT, beginning)
}

/** Brings a range into canonical form. */
export function valueRange({ from, to }: ValueRange): ValueRange {
  return Object.freeze({
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }) as ValueRange
}

const LAST_POINT = 0x10_ffff

/**
 * Returns the range of the texts that begin with a text: up to the text whose last code point is the next one, since texts sort by code points.
 * There is nothing above the last of all code points.
 */
export function textsBeginning(beginning: string): TextRange {
  const points = Array.from(beginning, (character) => character.codePointAt(0) as number)
  while (points.at(-1) === LAST_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return Object.freeze({ from: beginning })
  // Surrogates are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return Object.freeze({ from: beginning, to: String.fromCodePoint(...points, next) })
}

/** Returns what two ranges have in common; undefined for one of numbers and one of texts, which have nothing. */
export function commonRange(a: ValueRange, b: ValueRange): ValueRange | undefined {
  if (typeof (a.from ?? a.to) !== typeof (b.from ?? b.to)) return undefined
  const from = [a.from, b.from].reduce((x, y) =>
    x === undefined || (y !== undefined && compareEnds(y, x) > 0) ? y : x,
  )
  const to = [a.to, b.to].reduce((x, y) => (x === undefined || (y !== undefined && compareEnds(y, x) < 0) ? y : x))
  return valueRange({ from, to } as ValueRange)
}

/** Compares two numbers, or two texts by their bytes. */
function compareEnds(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareBytes(String(a), String(b))
}

/** Tells whether a facet may hold values of a type. */
function holds({ values, type }: Facet, wanted: 'number' | 'string'): boolean {
  return values === undefined ? type === wanted : values.some((value: FacetValue) => typeof value === wanted)
}

const ANY_NUMBER: Facet = oneOf('number')
const ANY_TEXT: Facet = oneOf('string')
