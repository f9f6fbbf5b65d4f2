import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { anyOf, defineCollection, type Lapidary, oneOf } from '../../src/index.ts'
import type { ColumnSizes } from '../../src/pages/columns/column-sizes.ts'
import { schemaOf } from '../comments-fixture.ts'
import { type Review, reviewEntry } from './reviews.ts'

/** A type, not an interface, so that it passes for an item of any attributes. */
export type HistoryReview = Review & {
  /** How often it was changed: counts do not have it, columns do. */
  readonly edits: string
  readonly writtenAt: string
}

/** The collection of `reviews.ts`, with all that can be kept of them. */
export const historyReviews = defineCollection({
  name: 'REVIEW',
  schema: schemaOf<HistoryReview>(),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: { attribute: 'text', type: 'string' },
  facets: {
    language: oneOf(),
    rating: anyOf([1, 2, 3, 4, 5]),
    edits: anyOf('string', { counted: false }),
  },
  indexes: { all: {} },
  sums: ['price'],
  numbers: { price: 'decimal' },
  statistics: { across: 2, days: { of: 'writtenAt' } },
  leaderboards: {
    'five-star': { where: { rating: [5] }, shards: 2 },
    revenue: { sum: 'price' },
    dearest: { average: 'price', atLeast: 2 },
  },
})

/** Asks and writes them. */
export type HistoryReviews = Lapidary<{ readonly reviews: typeof historyReviews }>['reviews']

export const DAYS: readonly string[] = [1, 2, 3, 4, 5].map((day) => `2026-03-0${day}`)

/** The day of a review, which each change of its text moves. */
export function dayOfReview({ id, text }: Pick<Review, 'id' | 'text'>): string {
  return DAYS[(Number(id.slice(1)) + 2 * Number(text)) % DAYS.length] as string
}

/** An entry that lists and pages show too. */
export function historyEntry(review: Review): Record<string, AttributeValue> {
  const writtenAt = `${dayOfReview(review)}T23:59:59.999Z`
  const list = `REVIEW/${encodeURIComponent(review.productId)}`
  return { ...reviewEntry(review), k: { S: list }, edits: { S: review.text }, writtenAt: { S: writtenAt } }
}

/** So small that the blocks of a dozen reviews are cut and folded. */
export const SMALL_COLUMNS: ColumnSizes = {
  ...{ blockRows: 4, blockBytes: 1_000, columnBytes: 600, buriedBytes: 60 },
  ...{ deltaBytes: 300, chunkBytes: 40, mostChunks: 5 },
}
