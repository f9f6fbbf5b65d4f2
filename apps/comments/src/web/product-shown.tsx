import type { Product } from '../catalogue/catalogue.ts'
import { ASSETS } from './assets.ts'

/** The name and the picture of a product, where more than its id is known. */
export type ProductShown = Pick<Product, 'name' | 'picture'>

/** Shows the picture of a product, square, where it has one; its name stands beside it. */
export function ProductPicture({ product, size }: { readonly product: ProductShown; readonly size: number }) {
  if (product.picture === undefined) return null
  return (
    <img
      class="product-picture"
      src={ASSETS.path(product.picture)}
      width={size}
      height={size}
      alt=""
      itemprop="image"
      fetchpriority="low"
      loading={size < 50 ? 'lazy' : 'eager'}
    />
  )
}
