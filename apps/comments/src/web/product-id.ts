import { LapidaryError } from 'lapidary'
import { productIdSchema } from '../comment.ts'

/** @throws {LapidaryError} `bad_request` for an id that no product can have. */
export function requireProductId(productId: string): string {
  const result = productIdSchema.safeParse(productId)
  if (result.success) return productId
  const errors = result.error.issues.map(({ message }) => ({ path: 'productId', message }))
  throw new LapidaryError('bad_request', 'the product id was refused', { details: { errors } })
}
