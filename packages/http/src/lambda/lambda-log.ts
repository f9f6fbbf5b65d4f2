import type { Logger } from '../logger.ts'
import { requestIds } from '../request-scope.ts'

const LEVELS = ['info', 'warn', 'error'] as const

/**
 * Makes a log that writes a line of JSON for each event, which CloudWatch finds by its fields. It is a file of 30 lines in a bundle, where a logger
 * for servers is most of 60 KB for threads that a function has no use of.
 *
 * @param least The level from which on lines are written: `info`, `warn` or `error`.
 * @param more Added to each line, such as the ids of a trace. The id of the request is there by itself.
 * @example
 * ```ts
 * const log = lambdaLog('warn')
 * log.error({ err: new Error('the table is away') }, 'a page could not be read')
 * ```
 */
export function lambdaLog(least: (typeof LEVELS)[number] = 'info', more: () => object = () => ({})): Logger {
  const line = (level: (typeof LEVELS)[number]) => {
    const isWritten = LEVELS.indexOf(level) >= LEVELS.indexOf(least)
    return (data: object | string, message?: string): void => {
      if (!isWritten) return
      const fields = typeof data === 'string' ? { msg: data } : { ...data, ...errorOf(data), msg: message }
      process.stdout.write(`${JSON.stringify({ level, time: Date.now(), ...requestIds(), ...more(), ...fields })}\n`)
    }
  }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

function errorOf(data: object): object {
  const { err } = data as { readonly err?: unknown }
  return err === undefined ? {} : { err: plainError(err) }
}

/** An error has no enumerable fields, so JSON would lose it; what it was caused by is most of what is to be known. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause === undefined ? {} : { cause: plainError(cause) }) }
}
