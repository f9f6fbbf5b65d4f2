import { LapidaryError } from 'lapidary'
import { productIdSchema } from '../comment.ts'
import { shopUnavailable } from '../shop-unavailable.ts'
import type { Catalogue, Product } from './catalogue.ts'

/** @throws {LapidaryError} `bad_request` for an id that no product can have. */
export function requireProductId(productId: string): string {
  const result = productIdSchema.safeParse(productId)
  if (result.success) return productId
  const errors = result.error.issues.map(({ message }) => ({ path: 'productId', message }))
  throw new LapidaryError('bad_request', 'the product id was refused', { details: { errors } })
}

/**
 * Returns a product of the catalogue; undefined where there is no catalogue, so that its id is all that is known.
 *
 * @throws {LapidaryError} `bad_request` for an id that no product can have, `not_found` for one that the catalogue does not know.
 * @throws {HttpProblem} `unavailable` where the catalogue can't say.
 */
export async function requireProduct(
  { catalogue }: { readonly catalogue?: Pick<Catalogue, 'get'> | undefined },
  productId: string,
): Promise<Product | undefined> {
  requireProductId(productId)
  if (catalogue === undefined) return undefined
  const product = await productOf(catalogue, productId)
  if (product !== undefined) return product
  const errors = [{ path: 'productId', message: 'is no product of the catalogue' }]
  throw new LapidaryError('not_found', 'there is no such product', { details: { errors } })
}

async function productOf(catalogue: Pick<Catalogue, 'get'>, productId: string): Promise<Product | undefined> {
  try {
    return await catalogue.get(productId)
  } catch (error) {
    throw shopUnavailable('the shop can’t say whether there is such a product; try again', error)
  }
}
