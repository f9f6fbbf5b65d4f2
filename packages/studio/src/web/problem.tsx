import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { databaseError, type InputIssue, LapidaryError } from 'lapidary'

/** A failure as a page tells it. */
export interface Problem {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly message: string
  readonly errors: readonly InputIssue[]
}

const STATUS: Partial<Record<string, ContentfulStatusCode>> = {
  bad_request: 400,
  cursor_invalid: 400,
  cursor_mismatch: 400,
  query_not_plannable: 400,
  access_denied: 403,
  not_found: 404,
  already_exists: 409,
  condition_failed: 412,
  version_conflict: 412,
  unprocessable: 422,
  not_implemented: 422,
  declaration_invalid: 422,
  capacity_exhausted: 422,
  table_mismatch: 422,
  unavailable: 503,
}

/** Says what an error means for a page; undefined for one that is no visitor's fault. */
export function problemOf(error: unknown): Problem | undefined {
  const known = isLapidaryError(error) ? error : databaseError(error)
  if (known === undefined || !isLapidaryError(known)) return undefined
  const { code, message, details } = known
  const errors = Array.isArray(details.errors) ? (details.errors as readonly InputIssue[]) : []
  return { status: STATUS[code] ?? 500, code, message, errors }
}

/** A configuration may load a copy of the library of its own, so errors are known by name too. */
function isLapidaryError(error: unknown): error is LapidaryError {
  return error instanceof LapidaryError || (error instanceof Error && error.name === 'LapidaryError')
}

/** Shows a failure: what it is, and each attribute or parameter that is wrong. */
export function ProblemNotice({ problem, title }: { problem: Problem; title?: string | undefined }): JSX.Element {
  const { code, message, errors } = problem
  return (
    <div class="notice notice-bad" role="alert" id="problem" tabindex={-1}>
      <p>
        <b>{title ?? 'This can’t be answered.'}</b> <code class="tag">{code}</code>
      </p>
      {errors.length === 0 ? (
        <p>{message}</p>
      ) : (
        <ul>
          {errors.map(({ path, message: why }) => (
            <li>
              {path === '' ? null : <code>{path}</code>} {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
