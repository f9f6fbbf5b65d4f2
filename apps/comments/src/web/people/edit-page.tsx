import { type CommentFormProps, WriteForm } from '../comment-form.tsx'
import { Icon } from '../icons.tsx'
import { commentPath } from '../links.ts'
import type { ProductShown } from '../product-shown.tsx'
import { useWords } from '../reader.ts'
import { SheetPage } from '../sheet-page.tsx'
import type { OwnShown } from './write-section.tsx'

interface EditPageProps extends OwnShown {
  readonly product: ProductShown | undefined
  readonly form: Pick<CommentFormProps, 'values' | 'errors' | 'problem'>
}

/** Shows a person's own comment, to be changed or deleted. */
export function EditPage({ comment, place, note, product, form }: EditPageProps) {
  const { own } = useWords().say.people
  const { id, productId, version } = comment
  const path = commentPath(productId, id)
  return (
    <SheetPage title={own.editTitle} description={own.place[place]} of={{ productId, product }}>
      <section class="sheet write" aria-labelledby="edit-title">
        <h2 class="write-heading" id="edit-title">
          {own.editTitle}
        </h2>
        {place === 'shown' ? null : <p class="people-text">{own.place[place]}</p>}
        {note === '' ? null : (
          <div class="own-note">
            <p>{own.note}</p>
            <p dir="auto">{note}</p>
          </div>
        )}
        <WriteForm {...form} action={`${path}/edit`} submit={own.save} version={version} comment={comment} />
      </section>
      <details class="sheet write">
        <summary class="write-summary">
          {own.remove}
          <Icon name="chevron" />
        </summary>
        <form class="write-form" action={`${path}/delete`} method="post">
          <p>{own.sure}</p>
          <button class="button button-danger" type="submit">
            {own.removeNow}
          </button>
        </form>
      </details>
    </SheetPage>
  )
}
