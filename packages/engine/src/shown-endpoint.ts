/**
 * Writes an endpoint as it may be printed: without a user, a password or a query.
 *
 * @example
 * ```ts
 * shownEndpoint('http://me:secret@db.example:8000') // http://…@db.example:8000
 * ```
 */
export function shownEndpoint(endpoint: string): string {
  // Cut up to the last @: a password may hold an @ or a / that its owner forgot to escape.
  const text = endpoint.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@').replace(/[?#].*$/s, '')
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`
}
