/** A reply that says what is wrong. Thrown or given, it is the same. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
}

/** `ERR`, and what is wrong. */
export function failure(message: string): ReplyError {
  return new ReplyError(`ERR ${message}`)
}
