/** An error as a reply. A command may throw it or return it. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
}

/** Makes an error reply: `ERR`, and the message. */
export function failure(message: string): ReplyError {
  return new ReplyError(`ERR ${message}`)
}
