import {
  type CancellationCode,
  canceledTransaction,
  DYNAMODB_ERROR_NAMES,
  type DynamoDBErrorName,
  dynamodbError,
} from 'lapidary-testing'
import { expect, test } from 'vitest'
import { LapidaryError } from '../model/errors.ts'
import { databaseError } from './database-error.ts'
import { isDiskFull, isPassing, type Meaning, mayBeDone, meaningOf, refusedPart } from './error-meaning.ts'

const CODES: Readonly<Record<DynamoDBErrorName, readonly [Meaning, string | undefined]>> = {
  AccessDeniedException: ['denied', 'access_denied'],
  ConditionalCheckFailedException: ['condition', undefined],
  CredentialsProviderError: ['no credentials', 'access_denied'],
  ExpiredIteratorException: ['iterator expired', undefined],
  ExpiredTokenException: ['no credentials', 'access_denied'],
  IdempotentParameterMismatchException: ['token taken', 'unavailable'],
  InternalServerError: ['failed', 'unavailable'],
  InvalidSignatureException: ['no credentials', 'access_denied'],
  ItemCollectionSizeLimitExceededException: ['partition full', 'unavailable'],
  LimitExceededException: ['throttled', 'unavailable'],
  ProvisionedThroughputExceededException: ['throttled', 'unavailable'],
  ReplicatedWriteConflictException: ['conflict', 'unavailable'],
  RequestLimitExceeded: ['throttled', 'unavailable'],
  ResourceNotFoundException: ['absent', 'table_mismatch'],
  ServiceUnavailable: ['failed', 'unavailable'],
  ThrottlingException: ['throttled', 'unavailable'],
  TimeoutError: ['lost', 'unavailable'],
  TransactionConflictException: ['conflict', 'unavailable'],
  TransactionInProgressException: ['under way', 'unavailable'],
  TrimmedDataAccessException: ['trimmed', undefined],
  UnrecognizedClientException: ['no credentials', 'access_denied'],
  ValidationException: ['refused', undefined],
}

test.each(DYNAMODB_ERROR_NAMES)('%s means one thing, in itself and as the cause of an error', (name) => {
  const error = dynamodbError(name)
  const [meaning, code] = CODES[name]
  expect([meaningOf(error), databaseError(error)?.code]).toEqual([meaning, code])
  expect(meaningOf(new LapidaryError('unavailable', 'it was tried', { cause: error }))).toBe(meaning)
})

test.each<[readonly CancellationCode[], Meaning, passing: boolean]>([
  [['None', 'ThrottlingError'], 'throttled', true],
  [['ProvisionedThroughputExceeded', 'None'], 'throttled', true],
  [['ThrottlingError', 'TransactionConflict'], 'conflict', false],
  [['ThrottlingError', 'ConditionalCheckFailed'], 'condition', false],
  [['TransactionConflict', 'ConditionalCheckFailed', 'ValidationError'], 'condition', false],
  [['ThrottlingError', 'ValidationError'], 'refused', false],
  [['ItemCollectionSizeLimitExceeded', 'ThrottlingError'], 'partition full', false],
  [[], 'conflict', false],
])('a transaction canceled for %j is %s', (codes, meaning, passing) => {
  const error = canceledTransaction(codes)
  expect([meaningOf(error), isPassing(error), mayBeDone(error)]).toEqual([meaning, passing, false])
  expect(refusedPart(error)).toBe(codes.indexOf('ConditionalCheckFailed'))
})

test.each<[code: string, Meaning]>([
  ['ECONNRESET', 'lost'],
  ['EPIPE', 'lost'],
  ['ETIMEDOUT', 'lost'],
  ['ECONNREFUSED', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable'],
  ['ENOENT', 'unknown'],
])('a socket that says %s is %s', (code, meaning) => {
  const error = Object.assign(new Error('no'), { code })
  expect(meaningOf(error)).toBe(meaning)
  expect(mayBeDone(error)).toBe(meaning === 'lost')
})

test.each<[status: number, Meaning]>([
  [500, 'failed'],
  [503, 'failed'],
  [429, 'throttled'],
  [404, 'unknown'],
])('an answer %d whose name is not known is %s', (httpStatusCode, meaning) => {
  expect(meaningOf(Object.assign(new Error('no'), { name: 'Odd', $metadata: { httpStatusCode } }))).toBe(meaning)
})

test('a disk is full as an engine says it, and as the library does; not that of a file of the process', () => {
  const full = Object.assign(new Error('database or disk is full'), { name: 'InternalServerError' })
  const told = databaseError(full, 'the table things')
  expect([isDiskFull(full), isDiskFull(told), told?.code, isPassing(full)]).toEqual([true, true, 'unavailable', false])
  expect(meaningOf(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))).toBe(
    'unknown',
  )
})

test('what is no error, or none of DynamoDB’s, has no meaning', () => {
  for (const error of ['ThrottlingException', undefined, new TypeError('no')]) {
    expect([meaningOf(error), databaseError(error)]).toEqual(['unknown', undefined])
  }
  const own = new LapidaryError('not_found', 'there is none')
  expect(databaseError(own)).toBe(own)
})

test('a refusal of credentials tells its operator who and what', () => {
  expect(databaseError(dynamodbError('AccessDeniedException'), 'the table things')).toMatchObject({
    message: expect.stringMatching(/^the credentials .* the table things: User: arn:aws:iam::/),
  })
})
