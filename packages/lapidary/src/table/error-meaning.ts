import { LapidaryError } from '../model/errors.ts'

/** The meaning of an SDK error: of a command, a transaction or a part of it, a batch or a part of it, or the change stream. */
export type Meaning =
  /** DynamoDB did nothing; the same command may be sent again later. */
  | 'throttled'
  /** Another write is at an item for a moment; nothing was done. */
  | 'conflict'
  /** A condition does not hold; nothing was done. */
  | 'condition'
  /** DynamoDB failed. "The operation may have succeeded or failed" (Developer Guide, Error handling with DynamoDB). */
  | 'failed'
  /** An earlier try of the same transaction is still under way. */
  | 'under way'
  /** No answer came. The command may have been carried out, or may still be. */
  | 'lost'
  /** There was no connection; nothing was done. */
  | 'unreachable'
  /** An engine on this machine has no room to write. */
  | 'disk full'
  /** A local secondary index lets a partition have 10 GB, and it has them. */
  | 'partition full'
  /** The token of this transaction was taken by another one; nothing was done. */
  | 'token taken'
  /** The credentials are good, and may not do this. */
  | 'denied'
  /** There are no credentials, or none that DynamoDB takes. */
  | 'no credentials'
  /** The table, the index or the stream does not exist. */
  | 'absent'
  /** The table exists already. */
  | 'exists'
  /** A query names an index that the table does not have, is still building, or has with other keys. */
  | 'no index'
  /** The table, or an index, has other keys. */
  | 'other keys'
  /** It will not be taken however often it is sent. */
  | 'refused'
  /** The engine does not have this operation. */
  | 'not offered'
  | 'iterator expired'
  | 'trimmed'
  | 'unknown'

/**
 * DynamoDB's names for each meaning, without the `Exception` that its errors end with: reasons of transactions and errors of statements have
 * none.
 */
const NAMES: Readonly<Partial<Record<Meaning, readonly string[]>>> = {
  throttled: [
    'ProvisionedThroughputExceeded',
    'RequestLimitExceeded',
    'Throttling',
    'ThrottlingError',
    'Throttled',
    'TooManyRequests',
    // The change stream's: more than two reads of a shard at once.
    'LimitExceeded',
  ],
  conflict: ['TransactionConflict', 'ReplicatedWriteConflict'],
  condition: ['ConditionalCheckFailed', 'DuplicateItem'],
  failed: ['InternalServerError', 'InternalFailure', 'ServiceUnavailable'],
  'under way': ['TransactionInProgress'],
  lost: ['TimeoutError', 'RequestTimeout'],
  'partition full': ['ItemCollectionSizeLimitExceeded'],
  'token taken': ['IdempotentParameterMismatch'],
  denied: ['AccessDenied', 'NotAuthorized', 'OptInRequired'],
  'no credentials': [
    'ExpiredToken',
    'RequestExpired',
    'RequestTimeTooSkewed',
    'UnrecognizedClient',
    'InvalidClientTokenId',
    'InvalidSignature',
    'SignatureDoesNotMatch',
    'IncompleteSignature',
    'MissingAuthenticationToken',
    'CredentialsProviderError',
    'TokenProviderError',
  ],
  absent: ['ResourceNotFound', 'TableNotFound', 'IndexNotFound'],
  exists: ['ResourceInUse'],
  refused: ['Validation', 'ValidationError'],
  'not offered': ['UnknownOperation'],
  'iterator expired': ['ExpiredIterator'],
  trimmed: ['TrimmedDataAccess'],
}
const BY_NAME: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(NAMES).flatMap(([meaning, names]) => names.map((name) => [name, meaning as Meaning])),
)

/** Socket errors. */
const LOST: ReadonlySet<unknown> = new Set(['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
const UNREACHABLE =
  /^(ECONNREFUSED|EHOSTDOWN|EHOSTUNREACH|ENETDOWN|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPROTO)$|CERT|^ERR_(TLS|SSL)_/

/** The words of an engine with a disk of its own (SQLite's) when it can write no more; waiting does not help. */
const DISK_FULL = /database or disk is full|disk is full|disk I\/O error|no space left on device/i
const NO_INDEX = /specified index|backfilling global secondary index|missed key schema element/i
const OTHER_KEYS =
  /missing the key|key element does not match the schema|type mismatch for (index )?key|number of conditions on the keys|required keys was not given/i

/** The order of importance of reasons: a transaction was canceled for the first of these that it has. */
const REASONS: readonly Meaning[] = [
  'condition',
  'refused',
  'partition full',
  'denied',
  'absent',
  'conflict',
  'throttled',
]

/** An error as the SDK raises it. */
export interface SdkError extends Error {
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string }
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Message?: string }[]
}

/** Returns the meaning of an error. This is the one place that knows DynamoDB's errors; an error that was made from one has the same meaning. */
export function meaningOf(error: unknown): Meaning {
  const sdk = sdkError(error)
  if (sdk === undefined) return 'unknown'
  // An error for a file that this process can't write has a code.
  if (sdk.code === undefined && DISK_FULL.test(sdk.message)) return 'disk full'
  const meaning = isCanceled(sdk) ? meaningOfReasons(sdk) : (meaningOfName(sdk.name) ?? meaningOfAnswer(sdk))
  if (meaning !== 'refused') return meaning
  const complaint = validationMessage(sdk) ?? ''
  return NO_INDEX.test(complaint) ? 'no index' : OTHER_KEYS.test(complaint) ? 'other keys' : 'refused'
}

/** Returns the meaning of a name or code by itself: a reason of a transaction, or an error of a statement in a batch. */
export function meaningOfName(name: string): Meaning | undefined {
  return BY_NAME.get(name.replace(/Exception$/, ''))
}

function meaningOfAnswer({ code, $metadata }: SdkError): Meaning {
  if (LOST.has(code)) return 'lost'
  if (typeof code === 'string' && UNREACHABLE.test(code)) return 'unreachable'
  const status = $metadata?.httpStatusCode ?? 0
  return status === 429 ? 'throttled' : status >= 500 ? 'failed' : 'unknown'
}

/**
 * Returns the meaning of a canceled transaction's reasons. The transaction did nothing; for an unknown reason its caller plans it anew, as after
 * a conflict.
 */
function meaningOfReasons({ CancellationReasons = [] }: SdkError): Meaning {
  const found = new Set(CancellationReasons.map(({ Code = '' }) => meaningOfName(Code)))
  return REASONS.find((meaning) => found.has(meaning)) ?? 'conflict'
}

/** Tells whether the error is of a canceled transaction, of which DynamoDB did nothing. */
export function isCanceled(error: unknown): boolean {
  return sdkError(error)?.name === 'TransactionCanceledException'
}

/** Returns which part of a canceled transaction has a condition that does not hold. */
export function refusedPart(error: unknown): number {
  const reasons = sdkError(error)?.CancellationReasons ?? []
  return reasons.findIndex(({ Code = '' }) => meaningOfName(Code) === 'condition')
}

/** Returns DynamoDB's message for a request that it will never take; for a transaction, the message for the first part that it refused. */
export function validationMessage(error: unknown): string | undefined {
  const sdk = sdkError(error)
  if (sdk === undefined || !isCanceled(sdk)) return sdk?.name === 'ValidationException' ? sdk.message : undefined
  return sdk.CancellationReasons?.find(({ Code = '' }) => meaningOfName(Code) === 'refused')?.Message
}

function sdkError(error: unknown): SdkError | undefined {
  if (error instanceof LapidaryError) return sdkError(error.cause)
  return error instanceof Error ? error : undefined
}

/** The meanings after which the same command may get through. */
export const PASSING: ReadonlySet<Meaning> = new Set(['throttled', 'conflict', 'failed', 'under way'])

/**
 * Tells whether DynamoDB may take the same command in a moment; a transaction has its token, so it is made once. The caller plans a transaction
 * that met another anew: what it was made from may have changed.
 */
export function isPassing(error: unknown): boolean {
  // The table client has tried it often enough.
  if (error instanceof LapidaryError) return false
  const meaning = meaningOf(error)
  return PASSING.has(meaning) && !(meaning === 'conflict' && isCanceled(error))
}

const MAY_BE_DONE: ReadonlySet<Meaning> = new Set(['failed', 'lost', 'under way'])

/** Tells whether a command that ended with this error may have been carried out all the same. */
export function mayBeDone(error: unknown): boolean {
  return MAY_BE_DONE.has(meaningOf(error))
}

/**
 * Tells whether an engine on this machine had no room to write.
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
  return meaningOf(error) === 'disk full'
}
