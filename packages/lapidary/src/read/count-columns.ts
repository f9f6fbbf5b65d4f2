import { addedDecimals, dividedDecimal, multipliedDecimal, sortableDecimal } from '../model/decimal.ts'
import { compareBytes } from '../model/key-text.ts'
import { type Query, scopesOf } from '../model/query.ts'
import type { ColumnIndex } from '../pages/column-index.ts'
import type { ReadContext } from './context.ts'
import type { CountOptions } from './count-options.ts'
import type { Counts, Summed } from './counts.ts'
import { readCounts } from './query-counts.ts'
import { toldAverage, toldSum } from './told-number.ts'

/** Counts by columns: the items of any condition, those of each value of facets, and amounts. */
export async function countByColumns(
  context: ReadContext,
  index: ColumnIndex,
  query: Query,
  { by = [], sums = [] }: CountOptions,
): Promise<Counts> {
  const asked = { facets: by, sums }
  const scopes = scopesOf(query).map((scope): Query => ({ ...query, scope }))
  const [state, counted, found] = await Promise.all([
    index.state(),
    readCounts(context, query),
    Promise.all(scopes.map((each) => index.count(each, asked))),
  ])
  const rcu = found.reduce((all, each) => all + each.rcu, counted?.rcu ?? 0)
  const isFilledAnew = state === 'ready' && !found.every(({ isReady }) => isReady)
  const unknown = isFilledAnew ? 'filling' : state
  if (unknown !== 'ready') return { total: null, facets: null, sums: null, series: null, asOf: null, unknown, rcu }
  const facets = by.map((facet, i): [string, Record<string, number>] => {
    const counts = joined(found.map((each) => each.facets[i] ?? new Map()))
    return [facet, Object.fromEntries([...counts].map(([value, count]) => [String(value), count]))]
  })
  const summed = sums.map((attribute, i): [string, Summed] => {
    const amounts = joined(found.map((each) => each.sums[i] ?? new Map()))
    return [attribute, summedOf(context, attribute, amounts)]
  })
  return {
    total: found.reduce((all, { total }) => all + total, 0),
    ...{ facets: Object.fromEntries(facets), sums: Object.fromEntries(summed), series: [] },
    ...{ asOf: counted?.asOf ?? null, unknown: null, rcu },
  }
}

function joined<V>(counts: readonly ReadonlyMap<V, number>[]): ReadonlyMap<V, number> {
  const all = new Map<V, number>()
  for (const each of counts) for (const [value, count] of each) all.set(value, (all.get(value) ?? 0) + count)
  return all
}

function summedOf({ collection }: ReadContext, attribute: string, amounts: ReadonlyMap<string, number>): Summed {
  let [sum, count] = ['0', 0]
  for (const [amount, times] of amounts) {
    sum = addedDecimals(sum, multipliedDecimal(amount, times))
    count += times
  }
  const average = count > 0 ? toldAverage(collection, attribute, dividedDecimal(sum, count)) : null
  const sorted = [...amounts.keys()].map((amount) => [sortableDecimal(amount), amount] as const).sort(bySortable)
  const told = (amount: string | undefined) => (amount === undefined ? null : toldSum(collection, attribute, amount))
  return {
    ...{ sum: toldSum(collection, attribute, sum), average, count },
    ...{ minimum: told(sorted[0]?.[1]), maximum: told(sorted.at(-1)?.[1]) },
  }
}

function bySortable([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return compareBytes(a, b)
}
