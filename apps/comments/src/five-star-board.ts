import type { Services } from './services.ts'

/** A product's rank by the number of 5-star comments; equal counts share a rank. */
export interface RankedProduct {
  readonly productId: string
  readonly count: number
  readonly rank: number
}

/** The best of a board. */
export interface FiveStarBoard {
  /** The entries; null while the board is being made. */
  readonly entries: readonly RankedProduct[] | null
  readonly asOf: string | null
  /** RCU of the read. */
  readonly rcu: number
}

/** Reads the products with the most 5-star comments, in one language or in all. */
export async function fiveStarBoard(
  { comments }: Services,
  { language, limit }: { readonly language?: string | undefined; readonly limit?: number | undefined },
): Promise<FiveStarBoard> {
  const { entries, asOf, plan } = await comments.leaderboard({
    name: 'five-star',
    where: { language },
    ...(limit === undefined ? {} : { limit }),
  })
  return {
    entries: entries?.map(({ scope, count, rank }) => ({ productId: scope, count, rank })) ?? null,
    asOf,
    rcu: plan.actual?.rcu ?? 0,
  }
}
