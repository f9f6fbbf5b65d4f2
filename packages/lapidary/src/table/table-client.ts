import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { Again, retrying, type Waiting } from './retrying.ts'
import { validationMessage } from './transaction.ts'

/** The user's own client, or anything that sends commands as it does. */
export type CommandSender = Pick<DynamoDBClient, 'send'>

/** What a table client takes from outside; the library has no clock and no chance of its own. */
export interface TableClientOptions {
  readonly client: CommandSender
  readonly tableName: string
  /** 0 to 1, as `Math.random`. */
  readonly random: () => number
  /** Resolves after so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Tries of one command that is throttled, beyond the client's own. */
  readonly maxAttempts?: number
}

/** The seam to DynamoDB: commands to one table, throttles retried with full jitter. */
export interface TableClient extends Waiting {
  readonly tableName: string
  readonly send: CommandSender['send']
}

const THROTTLES: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  // Another transaction is at the item for a moment; the SDK does not retry it.
  'TransactionConflictException',
  'Throttling',
  'InternalServerError',
  'ServiceUnavailable',
])
/** DynamoDB's own failures, as against its telling us to wait. */
const FAILURES: ReadonlySet<string> = new Set(['InternalServerError', 'ServiceUnavailable'])
/** What an engine with a disk of its own says (SQLite's words) when it can write no more; waiting does not help. */
const DISK_FULL = /database or disk is full|disk is full|disk I\/O error|no space left on device/i
const MAX_ATTEMPTS = 6

export function createTableClient(options: TableClientOptions): TableClient {
  const { client, tableName, random, sleep, maxAttempts = MAX_ATTEMPTS } = options
  const gaveUp = (tries: number, cause: unknown): never => {
    throw new LapidaryError('unavailable', giveUpMessage(cause as Error, tableName, tries), { cause })
  }
  const send = (command: never, settings?: { readonly abortSignal?: AbortSignal }): Promise<unknown> =>
    retrying<unknown>({ random, sleep }, { most: maxAttempts, gaveUp }, async () => {
      try {
        return await client.send(command, settings as never)
      } catch (error) {
        const isOver = settings?.abortSignal?.aborted === true || isDiskFull(error) || !isThrottle(error)
        if (isOver) throw seamError(error, tableName)
        return new Again(error)
      }
    })
  return { tableName, random, sleep, send: send as CommandSender['send'] }
}

function isThrottle(error: unknown): boolean {
  return error instanceof Error && THROTTLES.has(error.name)
}

/**
 * Whether an engine on this machine had no room to write.
 *
 * @example
 * ```ts run
 * try {
 *   await lapidary.comments.create(comment)
 * } catch (error) {
 *   if (isDiskFull(error)) console.error('free some space')
 * }
 * ```
 */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && DISK_FULL.test(error.message)
}

/** What DynamoDB says of a query on an index that it does not have, is still building, or has with other keys. */
const NO_INDEX = /specified index|backfilling global secondary index|missed key schema element/i

export function isIndexAbsent(error: unknown): boolean {
  const { cause } = error instanceof LapidaryError ? error : { cause: error }
  return cause instanceof Error && NO_INDEX.test(schemaComplaint(cause) ?? '')
}

/** What DynamoDB says of keys that a table, or an index, does not have or has of another type. */
const OTHER_KEYS =
  /missing the key|key element does not match the schema|type mismatch for (index )?key|number of conditions on the keys|required keys was not given/i

/** What DynamoDB says against the table's schema, if that is what an error is of. */
function schemaComplaint(error: Error): string | undefined {
  const message = validationMessage(error) ?? ''
  return NO_INDEX.test(message) || OTHER_KEYS.test(message) ? message : undefined
}

/** Servers that fail are not helped by more capacity. */
function giveUpMessage({ name, message }: Error, tableName: string, attempts: number): string {
  return FAILURES.has(name)
    ? `DynamoDB failed on ${tableName} ${attempts} times in a row (${name}: ${message}); try again later`
    : `DynamoDB throttled ${tableName} ${attempts} times in a row; try again later or raise its capacity`
}

/** Whether the connection broke, so that it is not known whether the command was carried out. */
export function isAnswerLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // The first try of the same transaction is still under way.
  return error.name === 'TransactionInProgressException' || (error instanceof LapidaryError && isBroken(error.cause))
}

function isBroken(error: unknown): boolean {
  return error instanceof Error && (connectionCode(error) === 'ECONNRESET' || error.name === 'TimeoutError')
}

function connectionCode(error: Error): unknown {
  return (error as { code?: unknown }).code
}

/** What a caller can act on; conditions and everything unforeseen pass through. */
function seamError(error: unknown, tableName: string): unknown {
  if (!(error instanceof Error)) return error
  if (isDiskFull(error)) {
    return new LapidaryError(
      'unavailable',
      `DynamoDB can't write to ${tableName}: the disk of its data is full; free some space, then try again`,
      { cause: error },
    )
  }
  if (error.name === 'ResourceNotFoundException') {
    return new LapidaryError(
      'table_mismatch',
      `the table ${tableName} or one of its indexes does not exist; create it (lapidary doctor tells what is missing)`,
      { cause: error },
    )
  }
  const complaint = schemaComplaint(error)
  if (complaint !== undefined) {
    return new LapidaryError(
      'table_mismatch',
      `the table ${tableName} is not as it is declared: ${complaint}; lapidary doctor tells what differs and how to change it`,
      { cause: error },
    )
  }
  const code = connectionCode(error)
  if (code === 'ECONNREFUSED' || isBroken(error)) {
    return new LapidaryError(
      'unavailable',
      `DynamoDB can't be reached (${String(code ?? error.name)}); is the engine running, and is the endpoint right?`,
      { cause: error },
    )
  }
  return error
}
