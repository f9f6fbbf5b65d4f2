/**
 * The process was killed. Nothing may catch this and go on; a harness starts anew from what the table holds.
 *
 * @example
 * ```ts run
 * const faults = createFaultKit({ seed: 7, killAt: 1 })
 * const { comments: doomed } = createLapidary({
 *   client: faults.dynamodb(client),
 *   tableName,
 *   collections: { comments },
 *   cursorSecret,
 * })
 * await doomed.create(comment).catch((error: unknown) => {
 *   if (!(error instanceof Killed)) throw error
 * })
 * ```
 */
export class Killed extends Error {
  override readonly name = 'Killed'

  constructor(point: number) {
    super(`killed at write point ${point}`)
  }
}

export function throttle(name = 'ProvisionedThroughputExceededException'): Error {
  return named(name, 'Throughput exceeds the current capacity of your table or index')
}

/** The connection broke; whether the command was carried out is not known. */
export function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}

/** A transaction refused because of another one on one of its items. */
export function transactionConflict(items: number, conflicting: number): Error {
  const CancellationReasons = Array.from({ length: items }, (_, i) => ({
    Code: i === conflicting ? 'TransactionConflict' : 'None',
  }))
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return Object.assign(named('TransactionCanceledException', message), { CancellationReasons })
}

/** A single write refused because of a transaction on its item. */
export function writeConflict(): Error {
  return named('TransactionConflictException', 'Transaction is ongoing for the item')
}

export function expiredIterator(): Error {
  return named('ExpiredIteratorException', 'Iterator expired')
}

export function trimmedData(): Error {
  return named('TrimmedDataAccessException', 'Attempt to access trimmed data')
}

export function resourceNotFound(what: string): Error {
  return named('ResourceNotFoundException', `Requested resource not found: ${what}`)
}

/** DynamoDB failed; whether a write was made is not known. */
export function internalServerError(): Error {
  return named('InternalServerError', 'Internal server error')
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}
