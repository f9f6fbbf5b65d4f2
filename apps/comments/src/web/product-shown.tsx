import { assetPath } from './assets.ts'

/** How a product is shown to people, where more than its id is known. */
export interface ProductShown {
  readonly name: string
  /** A picture among the assets. */
  readonly picture: string
}

/** Looks up what is known of a product; undefined = its id alone. */
export type ShowProduct = (productId: string) => ProductShown | undefined

/** The picture of a product, square; its name stands beside it. */
export function ProductPicture({ product, size }: { readonly product: ProductShown; readonly size: number }) {
  return (
    <img
      class="product-picture"
      src={assetPath(product.picture)}
      width={size}
      height={size}
      alt=""
      itemprop="image"
      fetchpriority="low"
      loading={size < 50 ? 'lazy' : 'eager'}
    />
  )
}
