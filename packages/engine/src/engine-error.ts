/** The reason why no DynamoDB could be opened; each code has a heading in docs/errors.md. */
export type EngineErrorCode = 'bad_request' | 'engine_unavailable'

/**
 * The error of this package: a stable `code` for programs, a message that says what failed and what to do.
 *
 * It is a class of its own, so that the engine needs nothing of the library, and the command line can need both.
 *
 * @example
 * ```ts
 * try {
 *   await openEngine({ dataDir: '.lapidary' })
 * } catch (error) {
 *   if (error instanceof EngineError) console.error(error.code, error.message)
 * }
 * ```
 */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: EngineErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}
