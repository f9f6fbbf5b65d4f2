import type { Page } from 'lapidary'
import type { Comment } from './comment.ts'
import { capacityLeft } from './http/capacity.ts'
import type { Services } from './services.ts'

/** What a hurried reader wants to see of a product's comments. */
export interface Highlights {
  /** The most recent comment rated 4 or 5. */
  readonly positive: Comment | null
  /** The most recent comment rated 1 or 2. */
  readonly critical: Comment | null
  /** The most recent comment of any rating. */
  readonly latest: Comment | null
  /** RCU of what was read for them. */
  readonly rcu: number
}

/** What was read already of the same comments: newest first, without a gap. */
export interface NewestComments {
  readonly items: readonly Comment[]
  /** Whether there are no others. */
  readonly complete: boolean
}

const HIGHLIGHTS = 3

const NOTHING_READ: NewestComments = { items: [], complete: false }

/**
 * Lists of one comment, read at the same time; none costs more than a block for each of its ratings, and one whose comment
 * is among those that were read already costs nothing.
 */
export async function highlights(
  { comments, maxCapacity }: Services,
  productId: string,
  language: string | undefined,
  read: NewestComments = NOTHING_READ,
): Promise<Highlights> {
  const newest = async (...ratings: readonly Comment['rating'][]) => {
    const known = read.items.find(({ rating }) => ratings.length === 0 || ratings.includes(rating))
    if (known !== undefined || read.complete) return { comment: known ?? null, rcu: 0 }
    const page = await comments.list({
      scope: productId,
      where: {
        ...(language === undefined ? {} : { language }),
        ...(ratings.length === 0 ? {} : { rating: ratings as readonly (1 | 2 | 3 | 4 | 5)[] }),
      },
      limit: 1,
      maxCapacity: capacityLeft(maxCapacity) / HIGHLIGHTS,
    })
    return { comment: page.items[0] ?? null, rcu: costOf(page) }
  }
  const [positive, critical, latest] = await Promise.all([newest(4, 5), newest(1, 2), newest()])
  return {
    positive: positive.comment,
    critical: critical.comment,
    latest: latest.comment,
    rcu: positive.rcu + critical.rcu + latest.rcu,
  }
}

function costOf({ plan }: Page<Comment>): number {
  return plan.actual?.rcu ?? 0
}
