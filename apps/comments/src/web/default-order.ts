import { LapidaryError } from 'lapidary'
import type { CommentOrder } from '../list-parameters.ts'
import type { Services } from '../services.ts'

/** The most products of which it is remembered. */
const MOST_REMEMBERED = 10_000
/** Milliseconds after which a product without votes is looked at again. */
const LOOK_AGAIN_MS = 30_000

/** What is known of the products whose pages were asked for: that somebody found a comment helpful, or when nobody had. */
const known = new WeakMap<Services['comments'], Map<string, 'votes' | number>>()

/**
 * Returns the order of a product's page whose address names none: the most helpful first once there are votes, else the newest. It takes one read
 * of half a unit; that there are votes is remembered.
 *
 * A list between two dates is by time, and so is a page by a cursor whose address names no order: it was given out before there were votes.
 */
export async function defaultOrderOf(
  { comments }: Services,
  productId: string,
  search: URLSearchParams,
): Promise<CommentOrder> {
  const has = (name: string): boolean => (search.get(name) ?? '') !== ''
  if (has('from') || has('to') || (has('cursor') && !has('order'))) return 'newest'
  const products = known.get(comments) ?? new Map<string, 'votes' | number>()
  known.set(comments, products)
  const now = comments.context.clock()
  const last = products.get(productId)
  if (last === 'votes') return 'helpful'
  if (last !== undefined && now - last < LOOK_AGAIN_MS) return 'newest'
  const hasVotes = await anyIsHelpful(comments, productId)
  if (products.size >= MOST_REMEMBERED) products.delete(products.keys().next().value ?? '')
  products.set(productId, hasVotes ? 'votes' : now)
  return hasVotes ? 'helpful' : 'newest'
}

const NO_ORDER_YET: readonly string[] = ['table_mismatch', 'query_not_plannable']

async function anyIsHelpful(comments: Services['comments'], productId: string): Promise<boolean> {
  try {
    const query = { scope: productId, by: 'helpful', order: 'highest', limit: 1, counts: false } as const
    const [first] = (await comments.list(query)).items
    return (first?.helpful ?? 0) > 0
  } catch (error) {
    // The index of the order is being filled.
    if (error instanceof LapidaryError && NO_ORDER_YET.includes(error.code)) return false
    throw error
  }
}
