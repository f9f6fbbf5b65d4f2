import type { Comment } from '../comment.ts'
import { CommentCard } from './comment-card.tsx'

export interface PublishedProps {
  readonly posted: Comment
  /** Whether it is in the list on the page. */
  readonly listed: boolean
  /** Whether the counts on the page may not know of it yet. */
  readonly countsFollow: boolean
}

/** Tells that a comment is published, and shows it where the list does not. */
export function Published({ posted, listed, countsFollow }: PublishedProps) {
  return (
    <div class="published" id="published" tabindex={-1}>
      <p>
        <strong>Your comment is published.</strong>{' '}
        {listed ? <a href={`#comment-${encodeURIComponent(posted.id)}`}>See it in the list</a> : null}
      </p>
      <p class="counts-follow" id="counts-follow" data-counts hidden={!countsFollow}>
        Counts and totals follow in a moment.
      </p>
      {listed ? null : <CommentCard comment={posted} isNew />}
    </div>
  )
}
