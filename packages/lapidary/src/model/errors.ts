/** The stable codes of every error that Lapidary raises; each has a heading in docs/errors.md. */
export type LapidaryErrorCode =
  | 'access_denied'
  | 'aborted'
  | 'already_exists'
  | 'bad_request'
  | 'capacity_exhausted'
  | 'condition_failed'
  | 'cursor_invalid'
  | 'cursor_mismatch'
  | 'declaration_invalid'
  | 'idempotency_mismatch'
  | 'not_found'
  | 'not_implemented'
  | 'page_index_damaged'
  | 'page_index_locked'
  | 'query_not_plannable'
  | 'table_mismatch'
  | 'unavailable'
  | 'unprocessable'
  | 'version_conflict'

/** One issue of an input: the path, and what is wrong there. */
export interface InputIssue {
  readonly path: string
  readonly message: string
}

interface LapidaryErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * The one error class: a stable `code` for programs, a message that says what failed, the value and what to do.
 *
 * @example
 * ```ts run
 * try {
 *   await lapidary.comments.get('100001')
 * } catch (error) {
 *   if (!(error instanceof LapidaryError && error.code === 'not_found')) throw error
 *   console.log('it is not there')
 * }
 * ```
 */
export class LapidaryError extends Error {
  override readonly name = 'LapidaryError'
  readonly code: LapidaryErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: LapidaryErrorCode, message: string, options: LapidaryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }
}

/** Makes an `unprocessable` error that lists each issue of the input under `details.errors`. */
export function unprocessable(what: string, errors: readonly InputIssue[]): LapidaryError {
  const list = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return new LapidaryError('unprocessable', `${what}: ${list}`, { details: { errors } })
}

/**
 * Shows a value in a message: quoted, control characters visible, at most 60 characters.
 *
 * @example
 * ```ts
 * throw new LapidaryError('unprocessable', `there is no product ${shown(comment.productId)}`)
 * ```
 */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : Object.is(value, -0) ? '-0' : String(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
