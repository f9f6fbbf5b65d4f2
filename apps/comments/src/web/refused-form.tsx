import { CommentForm, type CommentFormProps } from './comment-form.tsx'
import type { ProductShown } from './product-shown.tsx'
import { useWords } from './reader.ts'
import { SheetPage } from './sheet-page.tsx'

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
    <SheetPage title={say.form.commentOn(of)} description={say.form.refused(of)} of={{ productId, product }}>
      <CommentForm productId={productId} {...form} />
    </SheetPage>
  )
}
