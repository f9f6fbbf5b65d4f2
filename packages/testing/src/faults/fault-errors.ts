/**
 * The error of a process that was killed. A program must not catch it and go on; a harness starts anew from what the table holds.
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
 * const { items } = await lapidary.comments.list({ scope: '42' })
 * ```
 */
export class Killed extends Error {
  override readonly name = 'Killed'

  constructor(point: number) {
    super(`killed at write point ${point}`)
  }
}

/** The messages of DynamoDB, its streams and the SDK for each error, by its name. */
const MESSAGES = {
  AccessDeniedException: 'User: arn:aws:iam::111122223333:user/someone is not authorized to perform this operation',
  ConditionalCheckFailedException: 'The conditional request failed',
  CredentialsProviderError: 'Could not load credentials from any providers',
  ExpiredIteratorException: 'Iterator expired',
  ExpiredTokenException: 'The security token included in the request is expired',
  IdempotentParameterMismatchException: 'The request token was used with other parameters',
  InternalServerError: 'Internal server error',
  InvalidSignatureException: 'The request signature we calculated does not match the signature you provided',
  ItemCollectionSizeLimitExceededException: 'Item collection size limit of 10 GB exceeded',
  LimitExceededException: 'Too many operations for a given subscriber',
  ProvisionedThroughputExceededException: 'Throughput exceeds the current capacity of your table or index',
  ReplicatedWriteConflictException: 'The item is being modified by a request in another Region',
  RequestLimitExceeded: 'Throughput exceeds the current throughput limit for your account',
  ResourceNotFoundException: 'Requested resource not found',
  ServiceUnavailable: 'The service is currently unavailable or busy',
  ThrottlingException: 'Rate of requests exceeds the allowed throughput',
  TimeoutError: 'Connection timed out',
  TransactionConflictException: 'Transaction is ongoing for the item',
  TransactionInProgressException: 'The transaction with the given request token is already in progress',
  TrimmedDataAccessException: 'Attempt to access trimmed data',
  UnrecognizedClientException: 'The security token included in the request is invalid',
  ValidationException: 'One or more parameter values were invalid',
} as const

/** The name of an error of DynamoDB, of its streams, or of the SDK before it reaches them. */
export type DynamoDBErrorName = keyof typeof MESSAGES

/**
 * The names of all errors that {@link dynamodbError} makes.
 *
 * @example
 * ```ts run
 * for (const name of DYNAMODB_ERROR_NAMES) console.log(name, databaseError(dynamodbError(name))?.code)
 * ```
 */
export const DYNAMODB_ERROR_NAMES: readonly DynamoDBErrorName[] = Object.keys(MESSAGES) as DynamoDBErrorName[]

/**
 * Makes an error as the SDK raises it.
 *
 * @example
 * ```ts run
 * const refusing = intercepted<DynamoDBClient>(client, () => Promise.reject(dynamodbError('AccessDeniedException')))
 * ```
 */
export function dynamodbError(name: DynamoDBErrorName): Error {
  return Object.assign(new Error(MESSAGES[name]), { name })
}

/** The reason why a part of a transaction was not made; `None` for parts that are not at fault. */
export type CancellationCode =
  | 'None'
  | 'ConditionalCheckFailed'
  | 'ItemCollectionSizeLimitExceeded'
  | 'ProvisionedThroughputExceeded'
  | 'ThrottlingError'
  | 'TransactionConflict'
  | 'ValidationError'

/**
 * Makes the error of a canceled transaction, with a reason for each of its parts.
 *
 * @example
 * ```ts run
 * const throttled = canceledTransaction(['None', 'ThrottlingError'])
 * const refusing = intercepted<DynamoDBClient>(client, (command, send) =>
 *   command.constructor.name === 'TransactWriteItemsCommand' ? Promise.reject(throttled) : send(command),
 * )
 * ```
 */
export function canceledTransaction(codes: readonly CancellationCode[]): Error {
  const CancellationReasons = codes.map((Code) => (Code === 'None' ? { Code } : { Code, Message: `Reason: ${Code}` }))
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`
  return Object.assign(new Error(message), { name: 'TransactionCanceledException', CancellationReasons })
}

/** Makes the error of a canceled transaction with this many parts, one of them at fault. */
export function canceledBy(code: CancellationCode, parts: number, at: number): Error {
  return canceledTransaction(Array.from({ length: parts }, (_, i) => (i === at ? code : 'None')))
}

/**
 * Makes the error of a broken connection; whether the command was carried out is not known.
 *
 * @example
 * ```ts run
 * const losing = intercepted<DynamoDBClient>(client, async (command, send) => {
 *   await send(command)
 *   throw connectionReset()
 * })
 * ```
 */
export function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}

export function resourceNotFound(what: string): Error {
  return Object.assign(new Error(`Requested resource not found: ${what}`), { name: 'ResourceNotFoundException' })
}
