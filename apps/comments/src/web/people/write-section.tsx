import type { ShownComment } from '../../shown-comment.ts'
import { CommentForm, type CommentFormProps } from '../comment-form.tsx'
import { Stars } from '../icons.tsx'
import { commentPath } from '../links.ts'
import { CommentPhotos } from '../photos/photo-parts.tsx'
import { useReader } from '../reader.ts'

/** A person's own comment, as they see it on the product. */
export interface OwnShown {
  readonly comment: ShownComment
  readonly place: 'shown' | 'waiting' | 'hidden' | 'rejected'
  /** What a moderator told them. */
  readonly note: string
}

export interface WriteSectionProps extends CommentFormProps {
  readonly own?: OwnShown | undefined
  readonly notice?: string | undefined
}

/** Shows what a visitor can do about a comment of their own: write it, sign in to write it, or change the one that they have. */
export function WriteSection({ own, notice, ...form }: WriteSectionProps) {
  const { visitor } = useReader()
  if (own !== undefined) return <OwnComment {...own} />
  const isUnknown = visitor !== undefined && visitor.name === undefined
  const wantsToKnow = visitor?.signInAt !== undefined || visitor?.signInNote !== undefined
  return (
    <>
      {notice === undefined ? null : (
        <p class="people-notice" role="status">
          {notice}
        </p>
      )}
      {isUnknown && wantsToKnow ? <Invitation /> : <CommentForm {...form} />}
    </>
  )
}

function Invitation() {
  const { visitor, words } = useReader()
  const { form, people } = words.say
  return (
    <section class="write sheet write-invitation" id="write" aria-labelledby="write-form">
      <h2 class="write-heading" id="write-form" tabindex={-1}>
        {form.title}
      </h2>
      <p>{people.signIn.invitation}</p>
      {visitor?.signInNote === undefined ? null : <p>{visitor.signInNote}</p>}
      {visitor?.signInAt === undefined ? null : (
        <a class="button" href={visitor.signInAt} rel="nofollow">
          {people.signIn.toWrite}
        </a>
      )}
    </section>
  )
}

function OwnComment({ comment, place, note }: OwnShown) {
  const { words } = useReader()
  const { own } = words.say.people
  const { id, productId, rating, title, text, language } = comment
  return (
    <section class={`write sheet own own-${place}`} id="write" aria-labelledby="write-form">
      <h2 class="write-heading" id="write-form" tabindex={-1}>
        {own.title}
      </h2>
      <p>{own.place[place]}</p>
      {note === '' ? null : (
        <div class="own-note">
          <p>{own.note}</p>
          <p dir="auto">{note}</p>
        </div>
      )}
      {place === 'shown' ? null : (
        <blockquote class="own-text" lang={language}>
          <Stars rating={rating} label={words.say.rated(words.number(rating))} />
          {title === '' ? null : (
            <p class="comment-title" dir="auto">
              {title}
            </p>
          )}
          <p class="own-words" dir="auto">
            {text}
          </p>
          <CommentPhotos comment={comment} />
        </blockquote>
      )}
      <a class="button button-quiet" href={`${commentPath(productId, id)}/edit`} rel="nofollow">
        {own.edit}
      </a>
    </section>
  )
}
