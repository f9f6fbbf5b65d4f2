import { CommentForm, type CommentFormProps } from './comment-form.tsx'
import { Document } from './document.tsx'
import { productPath } from './links.ts'

interface RefusedFormProps {
  readonly productId: string
  readonly form: Pick<CommentFormProps, 'values' | 'errors'>
}

/** A form that came without a known token: what was typed, to be sent again, and nothing that has to be read for it. */
export function RefusedForm({ productId, form }: RefusedFormProps) {
  return (
    <Document
      title={`Comment on product ${productId} – Lapidary`}
      description={`A comment on product ${productId} that is not published yet.`}
      productId={productId}
      hidden
    >
      <div class="wide product">
        <header class="product-head">
          <h1>
            Comment on product{' '}
            <span dir="auto" class="product-id">
              {productId}
            </span>
          </h1>
        </header>
        <div class="results">
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
