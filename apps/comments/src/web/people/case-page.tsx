import type { ShownCase } from '../../people/case-list.ts'
import type { ShownComment } from '../../shown-comment.ts'
import { CommentCard } from '../comment-card.tsx'
import { moderationPath } from '../links.ts'
import type { ProductShown } from '../product-shown.tsx'
import { useWords } from '../reader.ts'
import { SheetPage } from '../sheet-page.tsx'
import { Decisions, Reports } from './case-parts.tsx'
import type { Done } from './moderation-page.tsx'

export interface CasePageProps {
  readonly comment: ShownComment
  readonly product: ProductShown | undefined
  /** The case of it; undefined where it is shown and nobody has reported it. */
  readonly ofCase: ShownCase | undefined
  readonly isShown: boolean
  readonly done?: Done | undefined
  /** The answer as it was typed, where it can't be taken. */
  readonly refusedAnswer?: string | undefined
}

/** Shows one comment to a moderator, who decides on it and answers it. */
export function CasePage({ comment, product, ofCase, isShown, done, refusedAnswer }: CasePageProps) {
  const { say } = useWords()
  const { moderation } = say.people
  const { id, productId, answer } = comment
  const isWrong = refusedAnswer !== undefined
  return (
    <SheetPage title={moderation.title} description={moderation.title} of={{ productId, product }}>
      {done === undefined ? null : (
        <p class="people-notice" role="status">
          {moderation.done[done]}
        </p>
      )}
      <p class="people-text">
        {isShown ? moderation.shown : moderation.explained[ofCase?.state ?? 'waiting']}{' '}
        <a href={`/moderation?state=${ofCase?.state ?? 'waiting'}`}>{moderation.back}</a>
      </p>
      <section class="sheet case" aria-label={moderation.title}>
        <div class="comments">
          <CommentCard comment={comment} whole hasTools={false} voting={{ kind: 'none' }} />
        </div>
        <Reports reports={ofCase?.reports ?? []} />
        <Decisions id={id} state={ofCase?.state ?? 'shown'} isGone={false} note={ofCase?.note ?? ''} />
      </section>
      <section class="sheet write" aria-labelledby="answer-title">
        <h2 class="write-heading" id="answer-title">
          {moderation.answer}
        </h2>
        <form class="write-form" action={moderationPath(id)} method="post">
          <div class="field-group">
            <label class="visually-hidden" for="answer-text">
              {moderation.answer}
            </label>
            <textarea
              class="field"
              id="answer-text"
              name="answer"
              rows={4}
              maxlength={10_000}
              dir="auto"
              required
              {...(isWrong ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'answer-error' } : {})}
            >
              {refusedAnswer ?? answer?.text ?? ''}
            </textarea>
            {isWrong ? (
              <p class="field-error" id="answer-error">
                {moderation.answerWrong}
              </p>
            ) : null}
          </div>
          <p class="decisions">
            <button class="button" type="submit" name="do" value="answer">
              {moderation.answerIt}
            </button>
            {answer === null ? null : (
              <button class="button button-danger" type="submit" name="do" value="unanswer" formnovalidate>
                {moderation.answerAway}
              </button>
            )}
          </p>
        </form>
      </section>
    </SheetPage>
  )
}
