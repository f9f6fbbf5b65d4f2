import type { Services } from './services.ts'

/** The ratings of one month. */
export interface RatedMonth {
  /** Its first day, `2025-06-01`. */
  readonly from: string
  readonly total: number
  /** The mean rating; null in a month without comments. */
  readonly average: number | null
}

/** The ratings of a product by month, in any language. */
export interface RatingTrend {
  /** The months up to the one of the last comment, oldest first; null while they are not known. */
  readonly months: readonly RatedMonth[] | null
  /** RCU of the reads. */
  readonly rcu: number
}

/** The months that are told: the counts of two years of days are some tens of KB. */
export const TREND_MONTHS = 24

/** Counts the ratings of a product by month, from its counts by day. */
export async function ratingTrend({ comments, countsBehind }: Services, productId: string): Promise<RatingTrend> {
  const { items, plan } = await comments.list({ scope: productId, limit: 1, counts: false })
  const [last] = items
  const read = plan.actual?.rcu ?? 0
  if (last === undefined) return { months: [], rcu: read }
  const [from, to] = [monthAfter(last.createdAt, 1 - TREND_MONTHS), monthAfter(last.createdAt, 1)]
  const { series, rcu } = await comments.count({
    ...{ scope: productId, every: 'month', by: [], sums: ['rating'] },
    ...{ from, to },
  })
  const months =
    countsBehind() !== undefined || !series
      ? null
      : series.map(({ from, total, sums }) => ({ from, total, average: sums?.rating?.average ?? null }))
  return { months, rcu: read + rcu }
}

/** Returns the first day of the month that is so many after that of a time. */
function monthAfter(time: string, months: number): string {
  return new Date(Date.UTC(Number(time.slice(0, 4)), Number(time.slice(5, 7)) - 1 + months, 1))
    .toISOString()
    .slice(0, 10)
}
