import type { Child } from 'hono/jsx'
import { Document } from './document.tsx'
import { productPath } from './links.ts'
import { ProductTitle } from './product-head.tsx'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { useWords } from './reader.ts'

interface SheetPageProps {
  readonly title: string
  readonly description: string
  readonly canonical?: string
  /** The product that it is about. */
  readonly of?: { readonly productId: string; readonly product: ProductShown | undefined } | undefined
  readonly children: Child
}

/** Shows a page of one thing beside the lists, such as a form: no search engine keeps it. */
export function SheetPage({ title, description, canonical, of, children }: SheetPageProps) {
  const { say } = useWords()
  return (
    <Document title={`${title} – Lapidary`} {...{ description, canonical }} productId={of?.productId} hidden>
      <div class="wide product sheet-page">
        {of === undefined ? null : (
          <header class="product-head">
            {of.product === undefined ? null : <ProductPicture product={of.product} size={96} />}
            <div class="product-what">
              <ProductTitle productId={of.productId} product={of.product} />
            </div>
          </header>
        )}
        <div class="results results-bare">
          {children}
          {of === undefined ? null : (
            <p class="message-links">
              <a class="button button-quiet" href={productPath(of.productId)}>
                {say.backToComments}
              </a>
            </p>
          )}
        </div>
      </div>
    </Document>
  )
}
