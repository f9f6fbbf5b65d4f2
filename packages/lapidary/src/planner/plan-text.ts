import type { AccessPath } from '../layouts/layout.ts'
import { anyOf } from '../model/combined-condition.ts'
import type { Condition, Term } from '../model/condition.ts'
import type { FacetValue } from '../model/facet.ts'
import { askedOf, type Filter, type ListOrder, type Query } from '../model/query.ts'
import { isRange } from '../model/value-range.ts'
import type { EmptyReason, PlanEstimate } from './plan.ts'

/** The part of a way to answer that its line shows. */
interface PrintedPath extends Pick<AccessPath, 'lists' | 'residual'> {
  readonly also?: readonly (Condition | undefined)[]
}

/**
 * One line that a golden test can hold:
 * `byLanguageAndRating[42/en/2, 42/en/3] MERGE BY position DESC LIMIT 20 -- 2.5 RCU, 1 round`; of lists of several indexes
 * `byLanguage[42/en] UNION byRating[42/5] MERGE BY position DESC LIMIT 20 -- 2 RCU, 1 round`.
 */
export function planText({ lists, residual, also = [] }: PrintedPath, query: Query, estimated: PlanEstimate): string {
  const indexes = [...new Set(lists.map(({ index }) => index))]
  const steps = indexes.map((index) => {
    const own = lists.flatMap((list, i) => (list.index === index ? [{ label: list.label, also: also[i] }] : []))
    const left = own.flatMap((each) => each.also ?? [])
    const asked = left.length === 0 ? undefined : indexes.length === 1 ? query.also : anyOf(left)
    const filter = filterText(residual, asked)
    const read = `${index ?? 'table'}[${own.map(({ label }) => label).join(', ')}]`
    return filter === '' ? read : `${read} FILTER ${filter}`
  })
  const words = [steps.join(' UNION ')]
  if (lists.length > 1) words.push('MERGE')
  if (query.having !== undefined) words.push('HAVING')
  words.push(...rangeWords(query), `LIMIT ${query.limit}`)
  return pricedText(words.join(' '), estimated)
}

/** `COLUMNS[42] status IN (OPEN) AND price FROM 10 TO 20, GET 20 BY position DESC LIMIT 20`. */
export function columnsText(query: Query): string {
  const words = [`COLUMNS[${valueText(query.scope)}] ${filterText(askedOf(query), query.also)}, GET ${query.limit}`]
  return [...words, ...rangeWords(query), `LIMIT ${query.limit}`].join(' ')
}

/** `BY position DESC FROM 2026-01-01`. */
function rangeWords(query: Query): readonly string[] {
  return [
    orderText(query),
    ...(query.from === undefined ? [] : [`FROM ${valueText(query.from.order)}`]),
    ...(query.to === undefined ? [] : [`TO ${valueText(query.to.order)}`]),
  ]
}

/** Steps with their price, which ends every line. */
export function pricedText(steps: string, estimated: PlanEstimate): string {
  return `${steps} -- ${priceText(estimated)}`
}

/** The line of a plan that reads the first items of its lists and leaves them out. */
export function slicedText(text: string, items: number): string {
  const end = text.lastIndexOf(' -- ')
  return `${text.slice(0, end)} LESS THE FIRST ${items}${text.slice(end)}`
}

/** `EMPTY (no value or no time is left to match)`. */
export function emptyText(reason: EmptyReason): string {
  return `EMPTY (${EMPTY_REASONS[reason]})`
}

const EMPTY_REASONS: Record<EmptyReason, string> = {
  unmatched: 'no value or no time is left to match',
  indexed: 'the page index has no item in any list',
}

/** `rating IN (4, 5) AND price FROM 20 TO 80 AND (language IN (en) OR NOT author IN (ann))`. */
export function filterText(filter: Filter, also?: Condition): string {
  const terms = Object.entries(filter).map(([facet, wanted]) => termText({ facet, wanted }))
  return [...terms, ...(also === undefined ? [] : [conditionText(also, 'AND')])].join(' AND ')
}

/** @param within What it is joined by with the conditions beside it. */
function conditionText(condition: Condition, within: 'AND' | 'OR'): string {
  if ('not' in condition) return `NOT ${termText(condition.not)}`
  if ('facet' in condition) return termText(condition)
  const [by, parts] = 'all' in condition ? (['AND', condition.all] as const) : (['OR', condition.any] as const)
  const text = parts.map((part) => conditionText(part, by)).join(` ${by} `)
  return by === within ? text : `(${text})`
}

function termText({ facet, wanted }: Term): string {
  return isRange(wanted) ? `${facet}${rangeText(wanted)}` : `${facet} IN (${wanted.map(valueText).join(', ')})`
}

/** ` FROM 20 TO 80`. */
function rangeText({
  from,
  to,
}: {
  readonly from?: FacetValue | undefined
  readonly to?: FacetValue | undefined
}): string {
  return `${from === undefined ? '' : ` FROM ${valueText(from)}`}${to === undefined ? '' : ` TO ${valueText(to)}`}`
}

/** Nothing, or what has a control character, a space or a mark of plans. Written out, since V8 makes a set of all Unicode of `\p{Cc}` at import. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is quoted
const QUOTED = /^$|[\u0000-\u001f\u007f-\u009f\s,()"]/

/** Values come from outside: what would break the line, or pass for two values, is quoted. */
function valueText(value: FacetValue): string {
  const text = String(value)
  return QUOTED.test(text) ? JSON.stringify(text) : text
}

/** `BY position DESC`, `BY amount ASC`. */
export function orderText({ by = 'position', order }: Pick<Query, 'by' | 'order'>): string {
  return `BY ${by} ${direction(order)}`
}

function direction(order: ListOrder): 'ASC' | 'DESC' {
  return order === 'newest' ? 'DESC' : 'ASC'
}

/** Capacity to the half unit and whole rounds, so that a line does not change with the last digit of a probability. */
function priceText({ rcu, rounds }: PlanEstimate): string {
  const whole = Math.round(rounds)
  return `${Math.round(rcu * 2) / 2} RCU, ${whole} ${whole === 1 ? 'round' : 'rounds'}`
}
