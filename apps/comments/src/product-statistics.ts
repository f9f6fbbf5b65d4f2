import type { Services } from './services.ts'

/** Counts of one product's comments, for one language or for all. */
export interface ProductStatistics {
  readonly productId: string
  readonly language: string | null
  /** By rating, of the language. */
  readonly counts: Readonly<Record<string, number>>
  /** Of the language. */
  readonly total: number
  /** By language, of the product. */
  readonly languages: Readonly<Record<string, number>>
  /** Mean rating; null when there is no comment. */
  readonly average: number | null
  readonly asOf: string | null
}

export async function productStatistics(
  { comments }: Services,
  productId: string,
  language: string | undefined,
): Promise<ProductStatistics> {
  const where = language === undefined ? {} : { language }
  const { total, facets, asOf } = await comments.count({ scope: productId, where })
  const counts = facets.rating ?? {}
  const stars = Object.entries(counts).reduce((sum, [rating, count]) => sum + Number(rating) * count, 0)
  return {
    productId,
    language: language ?? null,
    counts,
    total,
    languages: facets.language ?? {},
    average: total > 0 ? stars / total : null,
    asOf,
  }
}
