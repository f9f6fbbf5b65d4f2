import type { ShownComment } from '../shown-comment.ts'
import { Helpful } from './helpful.tsx'
import { Icon, Stars } from './icons.tsx'
import { commentPath } from './links.ts'
import { longOn, paragraphsOf } from './long-text.ts'
import { CommentTools } from './people/comment-tools.tsx'
import { CommentPhotos } from './photos/photo-parts.tsx'
import { useWords } from './reader.ts'
import type { Voting } from './voting.ts'

export interface CommentCardProps {
  readonly comment: ShownComment
  readonly isNew?: boolean
  /** Whether the whole text is shown, however long it is. */
  readonly whole?: boolean
  /** Whether the visitor can do something with it from here; they can when not given. */
  readonly hasTools?: boolean
  readonly voting: Voting
}

/**
 * Shows one comment, with the marks by which search engines know it as a review of the product around it. Its words are a stranger's: they are
 * shown as text, in their own language and direction.
 */
export function CommentCard({ comment, isNew = false, whole = false, hasTools = true, voting }: CommentCardProps) {
  const { day, isolate, languageTitle, locale, moment, number, say } = useWords()
  const { id, productId, answer, author, createdAt, language, rating, text, title, updatedAt, verified } = comment
  const long = whole ? undefined : longOn(text)
  const Title = whole ? 'h2' : 'h3'
  return (
    <article
      class={['comment', isNew ? ' comment-new' : '', long === undefined ? '' : ` long-on-${long}`].join('')}
      data-comment-id={id}
      id={`comment-${id}`}
      itemprop="review"
      itemscope
      itemtype="https://schema.org/Review"
    >
      <header class="comment-head">
        <span itemprop="reviewRating" itemscope itemtype="https://schema.org/Rating">
          <data itemprop="ratingValue" value={String(rating)}>
            <Stars rating={rating} label={say.rated(number(rating))} />
          </data>
        </span>
        <span class="comment-author" dir="auto" itemprop="author" itemscope itemtype="https://schema.org/Person">
          <span itemprop="name">{author}</span>
        </span>
        <span class="comment-facts">
          <a class="comment-link" href={commentPath(productId, id)} rel="bookmark">
            <time datetime={createdAt} itemprop="datePublished" data-time="day">
              {day(createdAt)}
            </time>
          </a>
          <span class="comment-language">{languageTitle(language)}</span>
          {verified ? (
            <span class="comment-verified">
              <Icon name="check" size={14} />
              {say.votes.verified}
            </span>
          ) : null}
          {updatedAt === null || !wasEdited(comment) ? null : (
            <span class="comment-edited" title={say.comment.editedOn(moment(updatedAt))}>
              {say.comment.edited}
            </span>
          )}
          {hasTools ? <CommentTools comment={comment} /> : null}
        </span>
      </header>
      <div class="comment-body" lang={language}>
        {title === '' ? null : (
          <Title class="comment-title" dir="auto" itemprop="name">
            {title}
          </Title>
        )}
        <div class="comment-text" dir="auto" itemprop="reviewBody">
          {paragraphsOf(text).map((paragraph) => (
            <p>{`${paragraph}\n`}</p>
          ))}
        </div>
        {long === undefined ? null : (
          <a class="read-more" href={`#comment-${encodeURIComponent(id)}`} lang={locale}>
            {say.comment.readMore}
            <span class="visually-hidden">
              {' '}
              {title === '' ? say.comment.readMoreBy(isolate(author)) : say.comment.readMoreOf(isolate(title))}
            </span>
          </a>
        )}
      </div>
      <CommentPhotos comment={comment} />
      {answer === null ? null : (
        <div class="answer" id={`answer-${id}`}>
          <p class="answer-head">
            <span class="answer-by">{say.votes.answer}</span>{' '}
            <time datetime={answer.answeredAt} data-time="day">
              {day(answer.answeredAt)}
            </time>
          </p>
          <div class="answer-text" dir="auto" lang={language}>
            {paragraphsOf(answer.text).map((paragraph) => (
              <p>{`${paragraph}\n`}</p>
            ))}
          </div>
        </div>
      )}
      <Helpful comment={comment} voting={voting} />
    </article>
  )
}

/** The milliseconds between an answer's own time and the change that stores it. */
const ANSWERING_MS = 5_000

/** Tells whether the writer changed the comment last: an answer of the shop is a change too. */
function wasEdited({ updatedAt, answer }: ShownComment): boolean {
  if (updatedAt === null) return false
  return answer === null || Math.abs(Date.parse(updatedAt) - Date.parse(answer.answeredAt)) > ANSWERING_MS
}
