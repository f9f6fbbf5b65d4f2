import { createHash } from 'node:crypto'
import { defineCollection, lookup } from 'lapidary'
import * as z from 'zod'
import { commentIdSchema, productIdSchema, timeSchema } from '../comment.ts'
import type { Person } from './person.ts'

const authorshipSchema = z.strictObject({
  id: z.string(),
  person: z.string(),
  productId: productIdSchema,
  commentId: commentIdSchema,
  createdAt: timeSchema,
  /** Whether a moderator has refused a comment of theirs on the product: what they write and change there waits. */
  isWatched: z.boolean().default(false),
  version: z.int().min(1),
})

/** Who wrote a comment. */
export type Authorship = z.output<typeof authorshipSchema>

/**
 * The collection of who wrote what, by person. Its ids are made from person and product, so that the condition of a new item, that its id is free,
 * keeps a second comment out, and one read finds a person's comment on a product.
 *
 * As with cases, the table has no index more for it.
 */
export const authorships = defineCollection({
  name: 'AUTHORSHIP',
  schema: authorshipSchema,
  id: 'id',
  scope: { name: 'PERSON', attribute: 'person' },
  order: 'createdAt',
  facets: {},
  version: 'version',
  attributes: {
    ...{ id: 'i', person: 'p', createdAt: 'c', version: 'v' },
    ...{ productId: lookup('product'), commentId: lookup('comment'), isWatched: lookup('watched') },
  },
})

/** Returns the id of the one authorship that a person can have of a product; JSON keeps apart what two texts would run together. */
export function authorshipId(person: Pick<Person, 'id'>, productId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([person.id, productId]))
    .digest('base64url')
}
