import { dayAfter, dayOf, dayStart, type Span, spanStart, UTC } from '../model/day.ts'
import { addedDecimals, dividedDecimal, multipliedDecimal, sortableDecimal } from '../model/decimal.ts'
import { compareBytes } from '../model/key-text.ts'
import type { OrderValue } from '../model/position.ts'
import { type Query, scopesOf } from '../model/query.ts'
import type { ColumnIndex, CountedRange } from '../pages/column-index.ts'
import type { ReadContext } from './context.ts'
import type { CountOptions } from './count-options.ts'
import { seriesParts } from './count-series.ts'
import type { CountedPart, Counts, Summed } from './counts.ts'
import { readCounts } from './query-counts.ts'
import type { SeriesOptions } from './series-options.ts'
import { toldAverage, toldSum } from './told-number.ts'

/** Counts by columns: the items of any condition, those of each value of facets, and amounts. */
export async function countByColumns(
  context: ReadContext,
  index: ColumnIndex,
  query: Query,
  { by = [], sums = [], ...line }: CountOptions,
): Promise<Counts> {
  const timeLine = line.every === undefined ? undefined : timeLineOf(line.every, line)
  const asked = { facets: by, sums, starts: timeLine?.starts }
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
  const series = (timeLine?.parts(found.map(({ parts }) => parts)) ?? []).map(({ from, held }): CountedPart => {
    const own = sums.map((attribute, i): [string, Summed] => {
      return [attribute, summedOf(context, attribute, joined(held.map((part) => part.sums[i] ?? new Map())))]
    })
    return { from, total: held.reduce((all, { total }) => all + total, 0), sums: Object.fromEntries(own) }
  })
  return {
    total: found.reduce((all, { total }) => all + total, 0),
    ...{ facets: Object.fromEntries(facets), sums: Object.fromEntries(summed), series },
    ...{ asOf: counted?.asOf ?? null, unknown: null, rcu },
  }
}

interface TimeLine {
  /** Where its parts begin in a scope. */
  readonly starts: (first: OrderValue, last: OrderValue) => readonly OrderValue[]
  /** All parts, with what scopes have of each. */
  readonly parts: (
    scopes: readonly (readonly CountedRange[])[],
  ) => readonly { readonly from: string; readonly held: readonly CountedRange[] }[]
}

/** The parts of a time line by the days of a zone. */
function timeLineOf(every: Span, { from, to, zone = UTC }: SeriesOptions): TimeLine {
  const [day, start] = [dayOf(zone), dayStart(zone)]
  const between = (first: string | undefined, last: string | undefined) =>
    seriesParts(every, from ?? first, to ?? (last && dayAfter(last)), from)
  return {
    starts: (first, last) =>
      between(day(String(first)), day(String(last))).map((part) => new Date(start(part.from)).toISOString()),
    parts(scopes) {
      const held = new Map<string, CountedRange[]>()
      for (const part of scopes.flat()) {
        const span = spanStart(every, day(String(part.start)))
        held.set(span, [...(held.get(span) ?? []), part])
      }
      const days = [...held].filter(([, parts]) => parts.some(({ items }) => items > 0)).map(([first]) => first)
      days.sort()
      return between(days[0], days.at(-1)).map((part) => ({ from: part.from, held: held.get(part.start) ?? [] }))
    },
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
