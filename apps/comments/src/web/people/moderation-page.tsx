import { MOST_COUNTED, type ShownCase } from '../../people/case-list.ts'
import { CASE_STATES, type CaseState } from '../../people/cases.ts'
import { CommentCard } from '../comment-card.tsx'
import { Document } from '../document.tsx'
import { moderationPath } from '../links.ts'
import { useWords } from '../reader.ts'
import { Decisions, Reports } from './case-parts.tsx'

/** What has just been done. */
export type Done = 'shown' | 'hidden' | 'rejected' | 'answered' | 'cleared'

interface ModerationPageProps {
  readonly state: CaseState
  readonly items: readonly ShownCase[]
  readonly counts: ReadonlyMap<CaseState, number>
  readonly next: string | undefined
  readonly previous: string | undefined
  readonly done: Done | undefined
  readonly hasSession: boolean
}

/** Shows what waits for a moderator, by its state. */
export function ModerationPage({ state, items, counts, next, previous, done, hasSession }: ModerationPageProps) {
  const { number, say } = useWords()
  const { moderation } = say.people
  return (
    <Document title={`${moderation.title} – Lapidary`} description={moderation.explained[state]} hidden>
      <div class="wide moderation">
        <header class="moderation-head">
          <h1>{moderation.title}</h1>
          {hasSession ? (
            <form action="/moderation/sign-out" method="post">
              <button class="button button-quiet" type="submit">
                {moderation.leave}
              </button>
            </form>
          ) : null}
        </header>
        <nav class="tabs" aria-label={moderation.title}>
          {CASE_STATES.map((each) => {
            const count = counts.get(each) ?? 0
            return (
              <a href={`/moderation?state=${each}`} aria-current={each === state ? 'page' : undefined}>
                {moderation.states[each]}{' '}
                <span class="tab-count">
                  {count < MOST_COUNTED ? number(count) : moderation.atLeast(number(MOST_COUNTED - 1))}
                </span>
              </a>
            )
          })}
        </nav>
        {done === undefined ? null : (
          <p class="people-notice" role="status">
            {moderation.done[done]}
          </p>
        )}
        <p class="people-text">{moderation.explained[state]}</p>
        {items.length === 0 ? <p class="sheet moderation-empty">{moderation.empty[state]}</p> : null}
        {items.map((each) => (
          <section class="sheet case" aria-labelledby={`case-${each.id}`}>
            <CaseTitle {...each} />
            {each.comment === null ? (
              <p class="people-text">{moderation.gone}</p>
            ) : (
              <div class="comments">
                <CommentCard comment={each.comment} hasTools={false} voting={{ kind: 'none' }} />
              </div>
            )}
            <Reports reports={each.reports} />
            <Decisions id={each.id} state={each.state} isGone={each.comment === null} from={state} />
          </section>
        ))}
        {next === undefined && previous === undefined ? null : (
          <nav class="message-links" aria-label={say.pages.label}>
            {previous === undefined ? null : (
              <a class="button button-quiet" rel="prev" href={previous}>
                {moderation.previous}
              </a>
            )}
            {next === undefined ? null : (
              <a class="button button-quiet" rel="next" href={next}>
                {moderation.next}
              </a>
            )}
          </nav>
        )}
      </div>
    </Document>
  )
}

function CaseTitle({ id, productId, state, since }: ShownCase) {
  const { moment, say } = useWords()
  const { moderation } = say.people
  return (
    <h2 class="case-title" id={`case-${id}`}>
      <a href={moderationPath(id)}>
        {moderation.states[state]}: <bdi>{say.product(productId)}</bdi>
      </a>{' '}
      <small class="as-of">
        {moderation.since} <time datetime={since}>{moment(since)}</time>
      </small>
    </h2>
  )
}
