import { STATUS_CODES } from 'node:http'
import { databaseError, type InputIssue, type LapidaryErrorCode } from 'lapidary'
import { type HttpCode, PROBLEM_CODES } from './problem-codes.ts'

interface HttpProblemOptions {
  readonly errors?: readonly InputIssue[] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Members beside those of RFC 9457. */
  readonly members?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

const MOST_ERRORS = 20
/** The most characters of a path: an id that is too long, and the name of an attribute in it. */
const MOST_PATH = 160
const MOST_MESSAGE = 300
const MOST_DETAIL = 1_000

/**
 * An error that the API answers as RFC 9457 `application/problem+json`.
 *
 * @example
 * ```ts
 * throw new HttpProblem('unauthorized', 'send your key as X-Key')
 * ```
 */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly code: HttpCode
  readonly errors: readonly InputIssue[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>
  /** The number of errors that are not listed. */
  readonly errorsOmitted: number

  /** Keeps the answer short, however much a client sends: some errors, and the number of the others. */
  constructor(code: HttpCode, detail: string, options: HttpProblemOptions = {}) {
    super(shortened(detail, MOST_DETAIL), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.errors = options.errors?.slice(0, MOST_ERRORS).map(({ path, message }) => ({
      path: shortened(path, MOST_PATH),
      message: shortened(message, MOST_MESSAGE),
    }))
    this.errorsOmitted = Math.max(0, (options.errors?.length ?? 0) - MOST_ERRORS)
    this.headers = options.headers ?? {}
    this.members = options.members ?? {}
  }

  get status(): number {
    return PROBLEM_CODES[this.code].status
  }

  /**
   * @param instance The name of this one occurrence; the server's log has the same.
   * @param base The path below which the API is, with its `/docs/errors`; none when not given.
   */
  toResponse(instance: string, base = ''): Response {
    const { status, code, message: detail, errors, errorsOmitted, headers, members } = this
    const body = {
      type: `${base}/docs/errors#${code}`,
      title: PROBLEM_CODES[code].title,
      status,
      code,
      detail,
      ...(errors === undefined ? {} : { errors }),
      ...(errorsOmitted === 0 ? {} : { errorsOmitted }),
      instance,
      ...members,
    }
    return new Response(JSON.stringify(body), {
      status,
      statusText: STATUS_CODES[status] ?? '',
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
    })
  }
}

/** Makes a 400 that names each wrong parameter. */
export function badRequest(what: string, errors: readonly InputIssue[]): HttpProblem {
  return new HttpProblem('bad_request', `${what}: ${listed(errors)}`, { errors })
}

/** Makes a 422 that names each wrong attribute of a body. */
export function unprocessable(what: string, errors: readonly InputIssue[]): HttpProblem {
  return new HttpProblem('unprocessable', `${what}: ${listed(errors)}`, { errors })
}

/** Cuts a text to this many characters, with a mark where it was cut. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

/** The most errors that the detail names; the rest is under `errors`. */
const MOST_LISTED = 5

function listed(errors: readonly InputIssue[]): string {
  const first = errors.slice(0, MOST_LISTED)
  const texts = first.map(({ path, message }) => (path === '' ? message : `${shortened(path, MOST_PATH)} ${message}`))
  return [...texts, ...(errors.length > first.length ? [`and ${errors.length - first.length} more`] : [])].join('; ')
}

const RETRY = { 'retry-after': '1' }

const LIBRARY_CODES: Readonly<Record<LapidaryErrorCode, HttpCode>> = {
  access_denied: 'unavailable',
  aborted: 'unavailable',
  already_exists: 'already_exists',
  bad_request: 'bad_request',
  capacity_exhausted: 'unavailable',
  condition_failed: 'version_conflict',
  cursor_invalid: 'cursor_invalid',
  cursor_mismatch: 'cursor_mismatch',
  declaration_invalid: 'internal_error',
  idempotency_mismatch: 'idempotency_mismatch',
  not_found: 'not_found',
  not_implemented: 'not_implemented',
  page_index_damaged: 'unavailable',
  page_index_locked: 'unavailable',
  query_not_plannable: 'bad_request',
  table_mismatch: 'unavailable',
  unavailable: 'unavailable',
  unprocessable: 'unprocessable',
  version_conflict: 'version_conflict',
}

/** Turns any error into what the client may know of it: an unexpected one, or one for the operator only, shows no detail. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error
  const known = databaseError(error)
  if (known === undefined) return internalError(error)
  const code = LIBRARY_CODES[known.code] ?? 'internal_error'
  if (code === 'internal_error') return internalError(known)
  const errors = Array.isArray(known.details.errors) ? (known.details.errors as InputIssue[]) : undefined
  return new HttpProblem(code, DETAILS[known.code] ?? known.message, {
    errors,
    cause: known,
    ...(code === 'unavailable' ? { headers: RETRY } : {}),
  })
}

/** Details in place of messages that are not for clients: DynamoDB names roles and accounts where it refuses them. */
const DETAILS: Readonly<Partial<Record<LapidaryErrorCode, string>>> = {
  access_denied: 'the database refuses this server; its log says why',
  not_implemented: 'this server has no page index, so pages have no numbers; go by cursor',
}

function internalError(cause: unknown): HttpProblem {
  return new HttpProblem('internal_error', 'the server failed to answer; it logged why', { cause })
}
