/** The stable codes of every problem that the HTTP API answers. */
export type HttpCode =
  | 'bad_request'
  | 'cursor_invalid'
  | 'cursor_mismatch'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'already_exists'
  | 'version_conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'not_implemented'
  | 'unavailable'

/** The meaning of a code to the client that gets it; `/docs/errors` serves the same words. */
export interface ProblemCode {
  readonly status: number
  readonly title: string
  /** The remedy. */
  readonly advice: string
}

/** Every code that an answer of the HTTP API can have. */
export const PROBLEM_CODES: Readonly<Record<HttpCode, ProblemCode>> = {
  bad_request: {
    status: 400,
    title: 'The request is malformed',
    advice: 'Mend what `errors` names: a parameter, a header, the path, or the JSON text itself.',
  },
  cursor_invalid: {
    status: 400,
    title: 'The cursor is not one of ours',
    advice: 'Leave the cursor out to begin at the first page; send cursors exactly as they were given.',
  },
  cursor_mismatch: {
    status: 400,
    title: 'The cursor belongs to another query',
    advice: 'Send a cursor with the scope, filter, range and order that it was given for.',
  },
  unauthorized: {
    status: 401,
    title: 'A token is needed',
    advice: 'Send `Authorization: Bearer TOKEN` with a token that this server knows.',
  },
  forbidden: {
    status: 403,
    title: 'The token may not do this',
    advice: 'Use a token that may: a writer may create and change, the admin may also delete.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    advice: 'Check the path and the id; percent-encode ids that hold `/`, `%`, `?` or `#`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    advice: 'Use one of the methods that the `Allow` header names.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    advice: 'Send the whole request within 30 seconds.',
  },
  already_exists: {
    status: 409,
    title: 'The id is taken',
    advice: 'Change what exists, choose another id, or leave the id out. Repeat safely with `Idempotency-Key`.',
  },
  version_conflict: {
    status: 412,
    title: 'Another client changed it first',
    advice: 'Read it again, and repeat the change with its new `ETag`.',
  },
  too_large: {
    status: 413,
    title: 'The body is too large',
    advice: 'Send at most 128 KiB; for many items at once use `lapidary import`.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not plain JSON',
    advice: 'Send `Content-Type: application/json`, without a `Content-Encoding`.',
  },
  unprocessable: {
    status: 422,
    title: 'The values are not valid',
    advice: 'Mend each attribute that `errors` names.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The idempotency key was used for another item',
    advice: 'Take a new key for a new item; repeat a key only with exactly the same body.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many attempts',
    advice: 'Wait as many seconds as `Retry-After` says; after wrong tokens, use a valid one.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    advice: 'Send at most 16 KiB of headers, the path and query included.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    advice: 'This is a defect: report it with the `instance`, by which the server logged it.',
  },
  not_implemented: {
    status: 501,
    title: 'This server does not do this',
    advice: 'Pages by number need a page index; without one go by cursor.',
  },
  unavailable: {
    status: 503,
    title: 'This can’t be answered now',
    advice: 'Try again after `Retry-After` seconds; `/readyz` says what is missing.',
  },
}
