import type { ShownComment } from '../../shown-comment.ts'
import { commentPath, moderationPath } from '../links.ts'
import { useReader } from '../reader.ts'

/** Shows what the visitor may do with a comment: change their own, report another's, moderate any. */
export function CommentTools({ comment }: { comment: Pick<ShownComment, 'id' | 'productId' | 'author'> }) {
  const { visitor, words } = useReader()
  if (visitor === undefined) return null
  const { own, report, moderation } = words.say.people
  const path = commentPath(comment.productId, comment.id)
  const isOwn = visitor.ownId === comment.id
  return (
    <span class="comment-tools">
      {isOwn ? (
        <a href={`${path}/edit`} rel="nofollow">
          {own.editShort}
        </a>
      ) : visitor.name === undefined && visitor.signInAt === undefined ? null : (
        <a href={`${path}/report`} rel="nofollow">
          {report.link}
          <span class="visually-hidden"> {report.of(words.isolate(comment.author))}</span>
        </a>
      )}
      {visitor.isModerator ? (
        <a href={moderationPath(comment.id)} rel="nofollow">
          {moderation.decide}
          <span class="visually-hidden"> {report.of(words.isolate(comment.author))}</span>
        </a>
      ) : null}
    </span>
  )
}
