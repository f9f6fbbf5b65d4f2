import type { ShownCase } from '../../people/case-list.ts'
import type { CaseState } from '../../people/cases.ts'
import { moderationPath } from '../links.ts'
import { useWords } from '../reader.ts'

/** Shows what people have said against a comment: why, and how often. */
export function Reports({ reports }: Pick<ShownCase, 'reports'>) {
  const { number, say } = useWords()
  const { moderation, report } = say.people
  if (reports.length === 0) return null
  const reasons = [...new Set(reports.map(({ reason }) => reason))]
  return (
    <div class="case-reports">
      <p>
        <strong>{moderation.reportedFor}</strong>{' '}
        {reasons
          .map((reason) => {
            const count = reports.filter((each) => each.reason === reason).length
            return count === 1 ? report.reasons[reason] : `${report.reasons[reason]} (${number(count)})`
          })
          .join('; ')}
      </p>
      {reports.some(({ text }) => text !== '') ? (
        <ul>{reports.map(({ text }) => (text === '' ? null : <li dir="auto">{text}</li>))}</ul>
      ) : null}
    </div>
  )
}

interface DecisionsProps {
  readonly id: string
  readonly state: CaseState | 'shown'
  /** Whether the comment was deleted. */
  readonly isGone: boolean
  /** The list to go back to; undefined on the comment's own page, where its author can be told why. */
  readonly from?: CaseState | undefined
  /** The note that its author has been told. */
  readonly note?: string
}

/** Shows the buttons of what can be decided. */
export function Decisions({ id, state, isGone, from, note = '' }: DecisionsProps) {
  const { say } = useWords()
  const { moderation } = say.people
  const isShown = state === 'shown' || state === 'reported' || state === 'settled'
  const show = { waiting: moderation.publish, reported: moderation.keep, hidden: moderation.restore }
  return (
    <form class="decisions" action={moderationPath(id)} method="post">
      {from === undefined ? null : <input type="hidden" name="from" value={from} />}
      {from === undefined && !isGone ? (
        <div class="field-group decision-note">
          <label class="field-name" for="decision-note">
            {moderation.note} <span class="field-hint">{moderation.noteHint}</span>
          </label>
          <textarea class="field" id="decision-note" name="note" rows={2} maxlength={1000} dir="auto">
            {note}
          </textarea>
        </div>
      ) : null}
      {isGone ? (
        <button class="button button-quiet" type="submit" name="do" value="clear">
          {moderation.forget}
        </button>
      ) : (
        <>
          {state === 'shown' || state === 'settled' ? null : (
            <button class="button" type="submit" name="do" value="shown">
              {state === 'rejected' ? moderation.publish : show[state]}
            </button>
          )}
          {isShown ? (
            <button class="button button-danger" type="submit" name="do" value="hidden">
              {moderation.hide}
            </button>
          ) : null}
          {state === 'waiting' || (from === undefined && state !== 'rejected') ? (
            <button class="button button-danger" type="submit" name="do" value="rejected">
              {moderation.reject}
            </button>
          ) : null}
        </>
      )}
    </form>
  )
}
