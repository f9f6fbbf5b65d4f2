import { REPORT_REASONS } from '../../people/cases.ts'
import type { ShownComment } from '../../shown-comment.ts'
import { CommentCard } from '../comment-card.tsx'
import { commentPath } from '../links.ts'
import type { ProductShown } from '../product-shown.tsx'
import { useWords } from '../reader.ts'
import { SheetPage } from '../sheet-page.tsx'

export interface ReportPageProps {
  readonly comment: ShownComment
  readonly product: ProductShown | undefined
  /** What was typed. */
  readonly text?: string
  readonly isWrong?: boolean
  readonly isDone?: boolean
}

/** Shows a comment, and asks what is wrong with it. */
export function ReportPage({ comment, product, text = '', isWrong = false, isDone = false }: ReportPageProps) {
  const { report } = useWords().say.people
  const { productId, id } = comment
  return (
    <SheetPage title={report.title} description={report.why} of={{ productId, product }}>
      {isDone ? (
        <p class="people-notice" role="status">
          {report.done}
        </p>
      ) : (
        <section class="sheet write" aria-labelledby="report-title">
          <h2 class="write-heading" id="report-title">
            {report.title}
          </h2>
          <form class="write-form" action={`${commentPath(productId, id)}/report`} method="post">
            <fieldset
              class="reasons"
              {...(isWrong ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'reason-error' } : {})}
            >
              <legend class="field-name">{report.why}</legend>
              {REPORT_REASONS.map((reason, i) => (
                <label class="reason">
                  <input type="radio" name="reason" value={reason} required autofocus={isWrong && i === 0} />
                  {report.reasons[reason]}
                </label>
              ))}
              {isWrong ? (
                <p class="field-error" id="reason-error">
                  {report.wrong}
                </p>
              ) : null}
            </fieldset>
            <div class="field-group">
              <label class="field-name" for="report-text">
                {report.text}
                <span class="field-hint"> {useWords().say.form.optional}</span>
              </label>
              <textarea class="field" id="report-text" name="text" rows={3} maxlength={1000} dir="auto">
                {text}
              </textarea>
            </div>
            <button class="button" type="submit">
              {report.submit}
            </button>
          </form>
        </section>
      )}
      <div class="sheet comments">
        <CommentCard comment={comment} whole hasTools={false} voting={{ kind: 'none' }} />
      </div>
    </SheetPage>
  )
}
