import type { Product } from '../../catalogue/catalogue.ts'
import { Document } from '../document.tsx'
import { productPath } from '../links.ts'
import { useWords } from '../reader.ts'
import { ProductSearch } from './product-search.tsx'
import { ProductRow } from './suggestions.tsx'

export interface SearchPageProps {
  readonly typed: string
  readonly products: readonly Product[]
  /** The most products that are shown. */
  readonly most: number
}

/** Shows the products that a reader may mean. */
export function SearchPage({ typed, products, most }: SearchPageProps) {
  const { count, number, say } = useWords()
  const { search } = say
  const heading = products.length === 0 ? search.none(typed) : search.found(count(products.length, 'product'), typed)
  return (
    <Document title={`${heading} – Lapidary`} description={heading} searchable={false} hidden>
      <div class="wide found">
        <ProductSearch id="product" productId={typed} />
        <h1 class="found-title">{heading}</h1>
        {products.length === 0 ? <p>{search.noneHint}</p> : null}
        {products.length === 0 ? null : (
          <ul class="sheet found-products">
            {products.map((product) => (
              <li>
                <a class="suggestion" href={productPath(product.id)}>
                  <ProductRow product={product} />
                </a>
              </li>
            ))}
          </ul>
        )}
        {products.length === most ? <p class="as-of">{search.more(number(most))}</p> : null}
      </div>
    </Document>
  )
}
