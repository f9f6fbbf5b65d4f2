import type { Comment } from '../comment.ts'
import { Stars } from './icons.tsx'
import { day, languageName, moment } from './words.ts'

/** One comment. Its words are a stranger's: shown as text, in their own language and direction. */
export function CommentCard({ comment, isNew = false }: { comment: Comment; isNew?: boolean }) {
  const { id, author, createdAt, language, rating, text, title, updatedAt } = comment
  return (
    <article class={isNew ? 'comment comment-new' : 'comment'} data-comment-id={id} id={`comment-${id}`}>
      <header class="comment-head">
        <Stars rating={rating} label={`Rated ${rating} out of 5`} />
        <span class="comment-author" dir="auto">
          {author}
        </span>
        <span class="comment-facts">
          <time datetime={createdAt} title={moment(createdAt)}>
            {day(createdAt)}
          </time>
          <span class="comment-language">{languageName(language)}</span>
          {updatedAt === null ? null : (
            <span class="comment-edited" title={`Edited on ${moment(updatedAt)}`}>
              edited
            </span>
          )}
        </span>
      </header>
      <div class="comment-body" lang={language}>
        {title === '' ? null : (
          <h3 class="comment-title" dir="auto">
            {title}
          </h3>
        )}
        <p class="comment-text" dir="auto">
          {text}
        </p>
      </div>
    </article>
  )
}
