import type { Services } from './services.ts'

/** Counts of one product's comments, for one language or for all. */
export interface ProductStatistics {
  readonly productId: string
  readonly language: string | null
  /** Counts by rating, in the language; null while they are not known. */
  readonly counts: Readonly<Record<string, number>> | null
  /** The total in the language; null while the counts are too far behind. */
  readonly total: number | null
  /** Counts by language, of the product; null while they are not known. */
  readonly languages: Readonly<Record<string, number>> | null
  /** The mean rating; null when there is no comment, or where the total is null. */
  readonly average: number | null
  readonly asOf: string | null
  /** RCU of the read; 0 when the counts were read a moment ago. */
  readonly rcu: number
}

export async function productStatistics(
  { comments, countsBehind }: Services,
  productId: string,
  language: string | undefined,
): Promise<ProductStatistics> {
  const where = language === undefined ? {} : { language }
  const { total, facets, asOf, rcu } = await comments.count({ scope: productId, where })
  const counts = facets === null ? null : (facets.rating ?? {})
  const behind = countsBehind() !== undefined
  return {
    productId,
    language: language ?? null,
    counts,
    total: behind ? null : total,
    languages: facets === null ? null : (facets.language ?? {}),
    average: behind || counts === null ? null : averageRating(counts),
    asOf,
    rcu,
  }
}

/** Returns the mean of the counted ratings; null when there is none. */
export function averageRating(counts: Readonly<Record<string, number>>): number | null {
  const entries = Object.entries(counts)
  const total = entries.reduce((sum, [, count]) => sum + count, 0)
  return total > 0 ? entries.reduce((sum, [rating, count]) => sum + Number(rating) * count, 0) / total : null
}
