import {
  type AnyCollection,
  type Condition,
  DEFAULT_LIMIT,
  type FacetValue,
  type Query,
  type Term,
  type Wanted,
} from 'lapidary'
import { holds } from './facet-parameters.ts'
import type { Question } from './question.ts'
import { EMPTY_TEXT, joinValues } from './values-text.ts'
import type { View } from './view.ts'

/** A cursor, or a page's number. */
export type PageAddress = string | number

/**
 * Returns the query of the address of a list, at a page; undefined = the first. It is canonical: however a list was asked for, each of its pages
 * has one address.
 */
export function questionAddress(view: View, question: Question, at: PageAddress | undefined): string {
  const { parsed, scopes, counts, explain } = question
  if (isContradiction(parsed)) return asSent(question, at)
  const search = new URLSearchParams()
  for (const scope of scopes) search.append('scope', scope)
  writeFilter(view, parsed, search)
  const { by, order, limit } = parsed
  if (by !== undefined) search.set('by', by)
  if (order !== 'newest') search.set('order', order)
  for (const end of ['from', 'to'] as const) {
    const text = boundText(view, question, end)
    if (text !== undefined) search.set(end, text)
  }
  if (limit !== DEFAULT_LIMIT) search.set('limit', String(limit))
  if (!counts) search.set('counts', 'false')
  if (explain) search.set('explain', 'true')
  if (typeof at === 'string') search.set('cursor', at)
  if (typeof at === 'number' && at > 1) search.set('page', String(at))
  return search.size === 0 ? '' : `?${search}`
}

/** Tells whether no item can meet a filter, which then has no canonical form: its address is as it was asked, sorted. */
function isContradiction({ where, also }: Query): boolean {
  const isNever = (condition: Condition): boolean => {
    if ('all' in condition) return condition.all.some(isNever)
    if ('any' in condition) return condition.any.length === 0 || condition.any.some(isNever)
    return !('not' in condition) && isValues(condition.wanted) && condition.wanted.length === 0
  }
  return (
    Object.values(where).some((wanted) => isValues(wanted) && wanted.length === 0) || (also ? isNever(also) : false)
  )
}

function asSent({ search }: Question, at: PageAddress | undefined): string {
  const sent = new URLSearchParams([...search].filter(([name]) => name !== 'cursor' && name !== 'page').sort())
  if (at !== undefined) sent.set(typeof at === 'string' ? 'cursor' : 'page', String(at))
  return `?${sent}`
}

function boundText({ collection }: View, { parsed, query }: Question, end: 'from' | 'to'): string | undefined {
  const { order, orders } = collection
  const { type } = (parsed.by === undefined ? undefined : orders[parsed.by]) ?? order
  // A decimal is kept in a form that sorts; the address has what was asked.
  const value = type === 'decimal' ? query[end] : parsed[end]?.order
  return value === undefined ? undefined : value === '' ? EMPTY_TEXT : String(value)
}

/** Writes a filter as parameters of its facets, in their order, and what they can't say as one `where`. */
function writeFilter({ parameters, collection }: View, parsed: Query, search: URLSearchParams): void {
  const { where, whole = {}, ranges = {}, also } = parsed
  const asked: Readonly<Record<string, Wanted>> = { ...where, ...whole, ...ranges }
  const conjuncts = also === undefined ? [] : 'all' in also ? also.all : [also]
  const rest: Condition[] = []
  const values = new Map<string, string>()
  const put = (facet: string, wanted: Wanted, negated = false): boolean => {
    const given = negated
      ? isValues(wanted) && [[`not.${facet}`, joinValues(wanted)] as const]
      : isValues(wanted)
        ? [[facet, joinValues(wanted)] as const]
        : (['from', 'to'] as const).flatMap((end) => {
            const text = wanted[end]
            return text === undefined ? [] : [[`${facet}.${end}`, text === '' ? EMPTY_TEXT : String(text)] as const]
          })
    if (given === false || (isValues(wanted) && wanted.length === 0)) return false
    // Of a facet with numbers, the text of a bound is read as one.
    if (!isValues(wanted) && [wanted.from, wanted.to].some((bound) => isTextAmongNumbers(collection, facet, bound)))
      return false
    // Such a facet takes one value at a time.
    if (!negated && isValues(wanted) && wanted.length > 1 && collection.facets[facet]?.kind === 'oneOf') return false
    // A name that another facet has, or one that is common to all, is none of this facet.
    if (given.some(([name]) => parameters.get(name)?.facet !== facet || values.has(name))) return false
    for (const [name, text] of given) values.set(name, text)
    return true
  }
  for (const [facet, wanted] of Object.entries(asked)) {
    if (!put(facet, wanted)) rest.push({ facet, wanted })
  }
  for (const each of conjuncts) {
    const isPut = 'not' in each && put(each.not.facet, each.not.wanted, true)
    if (!isPut) rest.push(each)
  }
  for (const name of parameters.keys()) {
    const text = values.get(name)
    if (text !== undefined) search.set(name, text)
  }
  if (rest.length > 0) search.set('where', JSON.stringify(filterText(collection, rest)))
}

function isTextAmongNumbers({ facets }: AnyCollection, name: string, bound: FacetValue | undefined): boolean {
  const facet = facets[name]
  return typeof bound === 'string' && facet !== undefined && holds(facet, 'number')
}

function isValues(wanted: Wanted): wanted is readonly FacetValue[] {
  return Array.isArray(wanted)
}

function filterText(collection: AnyCollection, conditions: readonly Condition[]): object {
  const [only] = conditions
  if (conditions.length === 1 && only !== undefined) return conditionText(collection, only)
  return { AND: conditions.map((each) => conditionText(collection, each)) }
}

/** Writes a condition as a filter in JSON. */
function conditionText(collection: AnyCollection, condition: Condition): object {
  if ('all' in condition) return filterText(collection, condition.all)
  if ('any' in condition) return { OR: condition.any.map((each) => conditionText(collection, each)) }
  return 'not' in condition ? { NOT: termText(collection, condition.not) } : termText(collection, condition)
}

function termText({ facets }: AnyCollection, { facet, wanted }: Term): object {
  if (!isValues(wanted)) return { [facet]: wanted }
  if (wanted.length === 1) return { [facet]: wanted[0] }
  // Such a facet takes one value at a time.
  return facets[facet]?.kind === 'oneOf' ? { OR: wanted.map((value) => ({ [facet]: value })) } : { [facet]: wanted }
}
