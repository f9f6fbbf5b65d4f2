import { CommentForm, type CommentFormProps } from './comment-form.tsx'
import { Document } from './document.tsx'
import { productPath } from './links.ts'
import { ProductTitle } from './product-head.tsx'
import { ProductPicture, type ProductShown } from './product-shown.tsx'

interface RefusedFormProps {
  readonly productId: string
  readonly product: ProductShown | undefined
  readonly form: Pick<CommentFormProps, 'values' | 'errors'>
}

/** A form that came without a known token: what was typed, to be sent again, and nothing that has to be read for it. */
export function RefusedForm({ productId, product, form }: RefusedFormProps) {
  return (
    <Document
      title={`Comment on ${product?.name ?? `product ${productId}`} – Lapidary`}
      description={`A comment on product ${productId} that is not published yet.`}
      productId={productId}
      hidden
    >
      <div class="wide product">
        <header class="product-head">
          {product === undefined ? null : <ProductPicture product={product} size={96} />}
          <div class="product-what">
            <ProductTitle productId={productId} product={product} />
          </div>
        </header>
        <div class="results results-bare">
          <CommentForm productId={productId} {...form} />
          <p class="message-links">
            <a class="button button-quiet" href={productPath(productId)}>
              Back to the comments
            </a>
          </p>
        </div>
      </div>
    </Document>
  )
}
