import type { Page } from 'lapidary'
import { capacityLeft } from 'lapidary-http/internal'
import type { Comment } from './comment.ts'
import type { Services } from './services.ts'
import { type ShownComment, shownComment } from './shown-comment.ts'

/** The comments of a product that a hurried reader wants to see. */
export interface Highlights {
  /** The most recent comment rated 4 or 5. */
  readonly positive: ShownComment | null
  /** The most recent comment rated 1 or 2. */
  readonly critical: ShownComment | null
  /** The most recent comment of any rating. */
  readonly latest: ShownComment | null
  /** RCU of the reads. */
  readonly rcu: number
}

/** Comments that were read already: the newest of the same list, without a gap. */
export interface NewestComments {
  readonly items: readonly ShownComment[]
  /** Whether the list has no others. */
  readonly complete: boolean
}

const HIGHLIGHTS = 3

const NOTHING_READ: NewestComments = { items: [], complete: false }

/**
 * Finds the highlights. It reads lists of one comment at the same time; none costs more than a block for each of its ratings, and a comment that
 * was read already costs nothing.
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
    const [first] = page.items
    return { comment: first === undefined ? null : shownComment(first), rcu: costOf(page) }
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
