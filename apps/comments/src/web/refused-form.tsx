import { CommentForm, type CommentFormProps } from './comment-form.tsx'
import { Document } from './document.tsx'
import { productPath } from './links.ts'
import { ProductTitle } from './product-head.tsx'
import { ProductPicture, type ProductShown } from './product-shown.tsx'
import { useWords } from './reader.ts'

interface RefusedFormProps {
  readonly productId: string
  readonly product: ProductShown | undefined
  readonly form: Pick<CommentFormProps, 'values' | 'errors' | 'problem'>
}

/** Shows a form that came without a known token: what was typed, to be sent again. It reads nothing from the table. */
export function RefusedForm({ productId, product, form }: RefusedFormProps) {
  const { isolate, say } = useWords()
  const of = isolate(product?.name ?? say.product(productId))
  return (
    <Document
      title={`${say.form.commentOn(of)} – Lapidary`}
      description={say.form.refused(of)}
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
              {say.backToComments}
            </a>
          </p>
        </div>
      </div>
    </Document>
  )
}
