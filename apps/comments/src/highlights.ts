import type { Comment } from './comment.ts'
import type { Services } from './services.ts'

/** What a hurried reader wants to see of a product's comments. */
export interface Highlights {
  /** The most recent comment rated 4 or 5. */
  readonly positive: Comment | null
  /** The most recent comment rated 1 or 2. */
  readonly critical: Comment | null
  readonly lastCommentedAt: string | null
}

/** Three lists of one comment, read at the same time; none costs more than a block for each of its ratings. */
export async function highlights(
  { comments }: Services,
  productId: string,
  language: string | undefined,
): Promise<Highlights> {
  const inLanguage = language === undefined ? {} : { language }
  const [positive, critical, latest] = await Promise.all([
    comments.list({ scope: productId, where: { ...inLanguage, rating: [4, 5] }, limit: 1 }),
    comments.list({ scope: productId, where: { ...inLanguage, rating: [1, 2] }, limit: 1 }),
    comments.list({ scope: productId, where: inLanguage, limit: 1 }),
  ])
  return {
    positive: positive.items[0] ?? null,
    critical: critical.items[0] ?? null,
    lastCommentedAt: latest.items[0]?.createdAt ?? null,
  }
}
