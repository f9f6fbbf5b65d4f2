import { anyOf, defineCollection, oneOf } from 'lapidary'
import { z } from 'zod'

export const comments = defineCollection({
  name: 'COMMENT',
  schema: z.object({
    id: z.string(),
    productId: z.string(),
    language: z.string(),
    rating: z.number(),
    text: z.string(),
    createdAt: z.string(),
  }),
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
})
