import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  QueryCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import {
  type CancellationCode,
  canceledBy,
  connectionReset,
  type DynamoDBErrorName,
  dynamodbError,
} from './fault-errors.ts'
import type { FaultState } from './fault-state.ts'
import { intercepted, type Send } from './intercept.ts'
import { shortQuery } from './short-query.ts'
import { sizeOfBatch, splitBatch } from './split-batch.ts'
import { isSingleWrite, isWrite } from './write-commands.ts'

/** Makes a client whose commands meet faults on their way to another client. */
export function faultyDynamoDB(client: Pick<DynamoDBClient, 'send'>, faults: FaultState): DynamoDBClient {
  return intercepted<DynamoDBClient>(client, async (command, send) => {
    faults.requireAlive()
    await faults.delay()
    const writes = isWrite(command)
    if (writes) faults.passWritePoint()
    if (faults.strikes('denied')) throw dynamodbError(drawn(DENIALS, faults))
    if (faults.strikes('throttled')) throw refusal(command, THROTTLES, THROTTLING_REASONS, faults)
    if (writes && faults.strikes('full')) {
      throw refusal(command, ['ItemCollectionSizeLimitExceededException'], ['ItemCollectionSizeLimitExceeded'], faults)
    }
    if ((isSingleWrite(command) || isTransaction(command)) && faults.strikes('conflicted')) {
      throw refusal(command, CONFLICTS, ['TransactionConflict'], faults)
    }
    const isUnderWay = command instanceof TransactWriteItemsCommand && faults.strikes('underWay')
    if (isUnderWay || (writes && faults.strikes('late'))) {
      faults.carryOutLate(() => send(command))
      throw isUnderWay ? dynamodbError('TransactionInProgressException') : connectionReset()
    }
    if (faults.strikes('cut')) throw connectionReset()
    if (faults.strikes('silent')) {
      if (faults.random() < 0.5) faults.carryOutLate(() => send(command))
      await faults.silence()
      throw dynamodbError('TimeoutError')
    }
    const fails = faults.strikes('failed')
    if (fails && faults.random() < 0.5) throw dynamodbError('InternalServerError')
    const output = await carryOut(command, send, faults)
    if (writes) faults.passWritePoint()
    if (fails) throw dynamodbError('InternalServerError')
    if (faults.strikes('dropped')) throw connectionReset()
    await faults.delay()
    faults.requireAlive()
    return output
  })
}

const THROTTLES: readonly DynamoDBErrorName[] = [
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]
const THROTTLING_REASONS: readonly CancellationCode[] = ['ThrottlingError', 'ProvisionedThroughputExceeded']
const CONFLICTS: readonly DynamoDBErrorName[] = ['TransactionConflictException', 'ReplicatedWriteConflictException']
const DENIALS: readonly DynamoDBErrorName[] = [
  'AccessDeniedException',
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'CredentialsProviderError',
]

export function isTransaction(command: unknown): command is TransactWriteItemsCommand | TransactGetItemsCommand {
  return command instanceof TransactWriteItemsCommand || command instanceof TransactGetItemsCommand
}

/** Makes the error of a refused command: a transaction has it as the reason of one of its parts, any other command as an error of its own. */
function refusal(
  command: unknown,
  errors: readonly DynamoDBErrorName[],
  reasons: readonly CancellationCode[],
  faults: FaultState,
): Error {
  if (!isTransaction(command)) return dynamodbError(drawn(errors, faults))
  const parts = command.input.TransactItems?.length ?? 0
  return canceledBy(drawn(reasons, faults), parts, Math.floor(faults.random() * parts))
}

function drawn<T>(all: readonly T[], { random }: FaultState): T {
  return all[Math.floor(random() * all.length)] as T
}

async function carryOut(command: object, send: Send, faults: FaultState): Promise<unknown> {
  const isBatch = command instanceof BatchWriteItemCommand || command instanceof BatchGetItemCommand
  if (isBatch && faults.strikes('unprocessed')) {
    const half = Math.floor(sizeOfBatch(command) / 2)
    return splitBatch(command, (at) => at < half, send)
  }
  if (command instanceof QueryCommand && faults.strikes('short'))
    return shortQuery(command.input, faults.random, send, faults.tables)
  return send(command)
}
