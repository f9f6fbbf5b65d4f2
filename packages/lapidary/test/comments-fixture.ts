import type { StandardSchemaV1 } from '@standard-schema/spec'
import { defineCollection } from '../src/model/collection.ts'
import { anyOf, oneOf } from '../src/model/facet.ts'

/** A type, not an interface, so that it passes for an item of any attributes. */
export type Comment = {
  readonly id: string
  readonly productId: string
  readonly language: string
  readonly rating: 1 | 2 | 3 | 4 | 5
  readonly text: string
  readonly createdAt: string
  readonly version: number
  readonly updatedAt: string | null
}

/** A schema that takes everything as the type it is given. */
export function schemaOf<T>(): StandardSchemaV1<unknown, T> {
  return { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as T }) } }
}

/** The comments of the README, with J-shaped ratings. */
export const comments = defineCollection({
  name: 'COMMENT',
  schema: schemaOf<Comment>(),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: {
    language: oneOf(),
    rating: anyOf([1, 2, 3, 4, 5], { frequencies: { 5: 0.55, 4: 0.2, 3: 0.08, 2: 0.05, 1: 0.12 } }),
  },
  version: 'version',
  updatedAt: 'updatedAt',
})

/** A whole comment; what is given replaces the rest. */
export function comment(given: Partial<Comment> = {}): Comment {
  return {
    id: '100001',
    productId: '42',
    language: 'en',
    rating: 5,
    text: 'Good.',
    createdAt: '2020-11-09T12:00:00.123Z',
    version: 1,
    updatedAt: null,
    ...given,
  }
}
