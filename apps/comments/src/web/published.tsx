import type { ShownComment } from '../shown-comment.ts'
import { CommentCard } from './comment-card.tsx'
import { useWords } from './reader.ts'

export interface PublishedProps {
  readonly posted: ShownComment
  /** Whether it is in the list on the page. */
  readonly listed: boolean
  /** Whether the counts on the page may not include it yet. */
  readonly countsFollow: boolean
}

/** Says that a comment is published, and shows it where the list does not. */
export function Published({ posted, listed, countsFollow }: PublishedProps) {
  const { form } = useWords().say
  return (
    <div class="published" id="published" tabindex={-1}>
      <p>
        <strong>{form.published}</strong>{' '}
        {listed ? <a href={`#comment-${encodeURIComponent(posted.id)}`}>{form.seeIt}</a> : null}
      </p>
      {countsFollow ? (
        <p class="counts-follow" id="counts-follow">
          {form.countsFollow}
        </p>
      ) : null}
      {listed ? null : <CommentCard comment={posted} isNew voting={{ kind: 'none' }} />}
    </div>
  )
}
