import { ASSETS } from './assets.ts'

/** The name and the picture of a product, where more than its id is known. */
export interface ProductShown {
  readonly name: string
  /** A picture among the assets. */
  readonly picture: string
}

/** Looks up a product; undefined = only its id is known. */
export type ShowProduct = (productId: string) => ProductShown | undefined

/** Shows the picture of a product, square; its name stands beside it. */
export function ProductPicture({ product, size }: { readonly product: ProductShown; readonly size: number }) {
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
