import type { Product } from '../../catalogue/catalogue.ts'
import { productPath } from '../links.ts'
import { ProductPicture } from '../product-shown.tsx'
import { useWords } from '../reader.ts'

/** Shows products as the options of a listbox; the script goes to the one that is chosen. */
export function Suggestions({ products }: { readonly products: readonly Product[] }) {
  return (
    <>
      {products.map((product) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the option that is chosen
        <div class="suggestion" role="option" aria-selected="false" data-href={productPath(product.id)}>
          <ProductRow product={product} />
        </div>
      ))}
    </>
  )
}

/** Shows a product by its picture, its name and its number. */
export function ProductRow({ product }: { readonly product: Product }) {
  const { productHead } = useWords().say
  return (
    <>
      <span class="suggestion-picture">
        <ProductPicture product={product} size={40} />
      </span>
      <span class="suggestion-name" dir="auto">
        {product.name}
      </span>
      <small class="suggestion-number">
        {productHead.product} <bdi>{product.id}</bdi>
      </small>
    </>
  )
}
