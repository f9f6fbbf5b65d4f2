import { isCounted } from '../derived/counts/counts-shape.ts'
import type { Collection } from '../model/collection.ts'
import { type Condition, facetsOf } from '../model/condition.ts'
import { type InputIssue, shown, unprocessable } from '../model/errors.ts'
import type { OptionNames } from '../model/known-options.ts'
import { ownValue } from '../model/own-value.ts'
import type { Query, Selection } from '../model/query.ts'
import type { SeriesOptions } from './series-options.ts'

/** What a count tells beside the total. */
export interface CountOptions<Facet extends string = string, Sum extends string = string> extends SeriesOptions {
  /** The facets whose values are counted; when not given, all that counts know. */
  readonly by?: readonly Facet[] | undefined
  /** The attributes that are added up, of those that the declaration names in `sums`; none when not given. */
  readonly sums?: readonly Sum[] | undefined
}

export const COUNT_OPTION_NAMES: OptionNames<CountOptions> = {
  ...{ by: true, sums: true, every: true, from: true, to: true, zone: true },
}

/** @throws {LapidaryError} `unprocessable` for a facet or an attribute of which counts know nothing. */
export function requireCountOptions({ facets, sums: declared }: Collection, { by, sums }: CountOptions): void {
  const counted = Object.keys(facets).filter((facet) => facets[facet]?.counted)
  const errors = [
    ...listIssues('by', by, (facet) =>
      counted.includes(facet)
        ? undefined
        : `${shown(facet)} is none of the facets that are counted here, which are ${namesOf(counted)}`,
    ),
    ...listIssues('sums', sums, (attribute) => sumProblem(attribute, declared)),
  ]
  if (errors.length > 0) throw unprocessable('the count was refused', errors)
}

/** @throws {LapidaryError} `unprocessable` for what is no facet, or not summed. */
export function requireColumnOptions({ facets, sums: declared }: Collection, { by, sums }: CountOptions): void {
  const errors = [
    ...listIssues('by', by, (facet) =>
      ownValue(facets, facet) === undefined
        ? `${shown(facet)} is no facet; the facets are ${namesOf(Object.keys(facets))}`
        : undefined,
    ),
    ...listIssues('sums', sums, (attribute) => sumProblem(attribute, declared)),
  ]
  if (errors.length > 0) throw unprocessable('the count was refused', errors)
}

function sumProblem(attribute: string, declared: readonly string[]): string | undefined {
  if (declared.includes(attribute)) return undefined
  return `${shown(attribute)} is not among the sums of the declaration, which are ${namesOf(declared)}`
}

/** @throws {LapidaryError} `unprocessable` for a facet that narrows and by which days are not counted. */
export function requireByDay({ facets }: Collection, { where, whole = {}, also }: Query): void {
  const narrowing = [...Object.keys({ ...where, ...whole }), ...(also === undefined ? [] : facetsOf(also))]
  const errors = [...new Set(narrowing)]
    .filter((facet) => !Object.hasOwn(facets, facet))
    .map(
      (path): InputIssue => ({ path, message: `days are not counted by it, but by ${namesOf(Object.keys(facets))}` }),
    )
  if (errors.length > 0) throw unprocessable('the count was refused', errors)
}

/** @throws {LapidaryError} `unprocessable` for a facet of several values, beside another one that the filter narrows. */
export function requireCountedBeside(
  collection: Collection,
  { by = [] }: CountOptions,
  chosen: Selection,
  also: Condition | undefined,
): void {
  const errors = by.flatMap((facet, i): InputIssue[] => {
    if (isCounted(collection, { ...chosen, [facet]: [null] }, also)) return []
    const message = `an item may have several values of ${facet} and of a facet that the filter narrows, and counts know the items of one value, not of two together`
    return [{ path: `by[${i}]`, message }]
  })
  if (errors.length > 0) throw unprocessable('the count was refused', errors)
}

function listIssues(
  path: string,
  given: unknown,
  problemOf: (name: string) => string | undefined,
): readonly InputIssue[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) return [{ path, message: `must be a list of names, not ${shown(given)}` }]
  return given.flatMap((name, i) => {
    const message = typeof name === 'string' ? problemOf(name) : `must be a name, not ${shown(name)}`
    return message === undefined ? [] : [{ path: `${path}[${i}]`, message }]
  })
}

function namesOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}
