import type { AccessPath } from '../layouts/layout.ts'
import type { FacetValue } from '../model/facet.ts'
import type { ListOrder, Query, Selection } from '../model/query.ts'
import type { PlanEstimate } from './plan.ts'

/**
 * One line that a golden test can hold:
 * `byLanguageAndRating[42/en/2, 42/en/3] MERGE BY position DESC LIMIT 20 -- 2.5 RCU, 1 round`.
 */
export function planText(
  { lists, residual }: Pick<AccessPath, 'lists' | 'residual'>,
  query: Query,
  estimated: PlanEstimate,
): string {
  const words = [`${lists[0]?.index}[${lists.map(({ label }) => label).join(', ')}]`]
  if (Object.keys(residual).length > 0) words.push(`FILTER ${selectionText(residual)}`)
  if (lists.length > 1) words.push('MERGE')
  if (query.having !== undefined) words.push('HAVING')
  words.push(orderText(query))
  if (query.from !== undefined) words.push(`FROM ${valueText(query.from.order)}`)
  if (query.to !== undefined) words.push(`TO ${valueText(query.to.order)}`)
  words.push(`LIMIT ${query.limit} -- ${priceText(estimated)}`)
  return words.join(' ')
}

export function emptyText(reason: string): string {
  return `EMPTY (${reason}) -- 0 RCU, 0 rounds`
}

/** `rating IN (4, 5) AND language IN (en)`. */
export function selectionText(selection: Selection): string {
  return Object.entries(selection)
    .map(([facet, values]) => `${facet} IN (${values.map(valueText).join(', ')})`)
    .join(' AND ')
}

/** Values come from outside: what would break the line, or pass for two values, is quoted. */
function valueText(value: FacetValue): string {
  const text = String(value)
  return /^$|[\p{Cc}\s,()"]/u.test(text) ? JSON.stringify(text) : text
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
