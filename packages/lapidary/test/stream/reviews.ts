import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { collectionProjections } from '../../src/derived/collection-projections.ts'
import type { SumProjection } from '../../src/derived/sum-projection.ts'
import { anyOf, defineCollection, oneOf, tableFor } from '../../src/index.ts'
import { indexes } from '../../src/layouts/indexes/indexes.ts'
import type { Collection } from '../../src/model/collection.ts'
import type { TableDefinition } from '../../src/schema/table-definition.ts'

export interface Review {
  readonly id: string
  readonly productId: string
  readonly language: string
  readonly rating: number
  readonly text: string
  /** A decimal number; reviews of what was paid for have it. */
  readonly price?: string
}

const anything: StandardSchemaV1<unknown, Review> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Review }) },
}

/** Reviews of products, kept as the library keeps them; the schema lets everything in, for the tests write themselves. */
export const reviews = defineCollection({
  name: 'REVIEW',
  schema: anything,
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: { attribute: 'text', type: 'string' },
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
  indexes: { all: {} },
  sums: ['price'],
  numbers: { price: 'decimal' },
  leaderboards: { 'five-star': { where: { rating: [5] }, shards: 2 }, revenue: { sum: 'price' } },
})

export function reviewTable(tableName: string): TableDefinition {
  return tableFor({ tableName, collections: { reviews } })
}

export function reviewProjections(collection: Collection = reviews): readonly SumProjection[] {
  return collectionProjections(collection, indexes().of(collection))
}

export function reviewKey(id: string): Record<string, AttributeValue> {
  return { PK: { S: `REVIEW#${id}` }, SK: { S: '~' } }
}

export function reviewEntry({ id, productId, language, rating, text, price }: Review): Record<string, AttributeValue> {
  return {
    ...reviewKey(id),
    ...{ id: { S: id }, productId: { S: productId }, language: { S: language }, rating: { N: String(rating) } },
    ...(price === undefined ? {} : { price: { N: price } }),
    ...{ text: { S: text }, k: { S: `PRODUCT#${productId}` }, s: { S: `${text}#${id}` } },
  }
}
