import { LapidaryError, type LapidaryErrorCode } from '../model/errors.ts'
import { type Meaning, meaningOf, type SdkError, validationMessage } from './error-meaning.ts'

type Told = readonly [code: LapidaryErrorCode, told: (table: string, error: SdkError) => string]

const AWAY: Told = [
  'unavailable',
  (_, { code, name }) =>
    `DynamoDB can't be reached (${String(code ?? name)}); is the engine running, and is the endpoint right?`,
]
const NOT_DECLARED: Told = [
  'table_mismatch',
  (table, error) =>
    `${table} is not as it is declared: ${validationMessage(error)}; lapidary doctor shows the differences and what to do`,
]

/** The meanings that callers can act on. The sender of a command handles conditions, final refusals and the stream's own errors. */
const TOLD: Readonly<Partial<Record<Meaning, Told>>> = {
  throttled: ['unavailable', (table) => `DynamoDB throttles ${table}; try again later or raise its capacity`],
  conflict: ['unavailable', (table) => `other writes to ${table} kept conflicting with this one; try again`],
  failed: [
    'unavailable',
    (table, { name, message }) => `DynamoDB failed on ${table} (${name}: ${message}); try again later`,
  ],
  'under way': ['unavailable', (table) => `an earlier try of this write to ${table} is still under way; try again`],
  lost: AWAY,
  unreachable: AWAY,
  'disk full': [
    'unavailable',
    (table) => `DynamoDB can't write to ${table}: the disk of its data is full; free some space, then try again`,
  ],
  'partition full': [
    'unavailable',
    (table) =>
      `a partition of ${table} has reached 10 GB, the limit of a table with a local secondary index; delete some of its items, or use a table without that index`,
  ],
  'token taken': ['unavailable', (table) => `another transaction of ${table} has the token of this one; try again`],
  denied: [
    'access_denied',
    (table, { message }) => `the credentials of this process may not do this with ${table}: ${message}`,
  ],
  'no credentials': [
    'access_denied',
    // The message for a wrong signature would show what was signed.
    (table, { name }) => `DynamoDB refuses the credentials of this process for ${table} (${name}); give it valid ones`,
  ],
  absent: [
    'table_mismatch',
    (table) => `${table} or one of its indexes does not exist; create it (lapidary doctor tells what is missing)`,
  ],
  'no index': NOT_DECLARED,
  'other keys': NOT_DECLARED,
}

/**
 * Turns an error of the SDK into an error with a code, for the operator of a program; undefined for an error that is not DynamoDB's, or that
 * concerns one command only. Operations of the library raise such errors themselves; this is for commands of your own.
 *
 * @example
 * ```ts run
 * import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
 *
 * const { tableName: TableName } = lapidary.table.definition()
 * try {
 *   await client.send(new DescribeTableCommand({ TableName }))
 * } catch (error) {
 *   throw databaseError(error, `the table ${TableName}`) ?? error
 * }
 * ```
 * @param table The subject of the message.
 * @returns An error with its meaning under `details.meaning`, `throttled`, `unreachable`, `denied`…, and under `details.requestId` the id that AWS
 * gave the command.
 */
export function databaseError(error: unknown, table = 'the table'): LapidaryError | undefined {
  if (error instanceof LapidaryError) return error
  const meaning = meaningOf(error)
  const told = TOLD[meaning]
  if (told === undefined) return undefined
  const [code, message] = told
  const { $metadata: { requestId } = {} } = error as SdkError
  const details = { meaning, ...(requestId === undefined ? {} : { requestId }) }
  return new LapidaryError(code, message(table, error as SdkError), { cause: error, details })
}

/**
 * Tells whether the outcome of a write is unclear, or a condition or another write was in its way: the caller reads the table to learn whether
 * the write was made, or what to write instead.
 */
export function isUnsettled(error: unknown): boolean {
  return meaningOf(error) === 'condition' || databaseError(error)?.code === 'unavailable'
}
