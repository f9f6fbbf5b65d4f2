import { randomUUID } from 'node:crypto'
import {
  type CancellationReason,
  type TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { type CollectionContext, LapidaryError, type PlannedWrites } from 'lapidary'

/** The writes of one transaction, and the answer that its caller gets once they are made. */
export interface Plan<T> {
  /** Empty where there is nothing to do. */
  readonly writes: readonly TransactWriteItem[]
  readonly answer: T
  /** The product whose comments change, so that its counts are read anew. */
  readonly productId: string
}

/** How a transaction is sent, with the note of whether a try got no answer, so that it may be carried out all the same. */
interface SendSettings {
  readonly abortSignal?: AbortSignal
  readonly tries: { lost: boolean }
}

const MOST_TRIES = 12
const PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/**
 * Makes writes of several collections at once. Where another request came between, the plan is made anew, of what is there then.
 *
 * @throws {LapidaryError} `unavailable`, and what the plan throws.
 */
export async function inOneTransaction<T>(
  { table, statistics }: Pick<CollectionContext, 'table' | 'statistics'>,
  plan: () => Promise<Plan<T>>,
): Promise<T> {
  const settings: SendSettings = { tries: { lost: false } }
  for (let tries = 1; ; tries++) {
    try {
      const { writes, answer, productId } = await plan()
      if (writes.length === 0) return answer
      try {
        // By the token DynamoDB knows a try whose answer was lost.
        const input = { TransactItems: [...writes], ClientRequestToken: randomUUID() }
        await table.send(new TransactWriteItemsCommand(input), settings)
      } finally {
        statistics?.wrote(productId)
      }
      return answer
    } catch (error) {
      if (!(error instanceof CameBetween || isRefused(error)))
        throw settings.tries.lost ? asUncertain(asUnprocessable(error)) : asUnprocessable(error)
      if (tries === MOST_TRIES)
        throw new LapidaryError('unavailable', `other requests came between ${tries} times; try again`, {
          cause: error,
        })
    }
    await table.sleep(table.random() * Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** tries))
  }
}

/** Tells whether DynamoDB made nothing of a transaction because of what others have written. */
function isRefused(error: unknown): boolean {
  if (error instanceof LapidaryError) return error.details.meaning === 'conflict'
  return isCanceled(error) && !reasonsOf(error).some(({ Code = '' }) => LASTING.includes(Code))
}

const INVALID = 'ValidationError'
/** The reasons for which a write is refused however often it is sent, as that its item has become too large. */
const LASTING: readonly string[] = [INVALID, 'ItemCollectionSizeLimitExceeded']

/** Turns DynamoDB's refusal of an item that it will never take into an error for the caller; every other error stays as it is. */
function asUnprocessable(error: unknown): unknown {
  const invalid = isCanceled(error) ? reasonsOf(error).find(({ Code }) => Code === INVALID) : undefined
  if (invalid === undefined) return error
  return new LapidaryError('unprocessable', `DynamoDB does not take the comment: ${invalid.Message}`, { cause: error })
}

/**
 * Turns an error of a later plan into one that does not say whether the writes were made. DynamoDB may carry out a try whose answer was lost after it
 * has refused the next one; then the plan finds what this request has made itself.
 */
function asUncertain(error: unknown): unknown {
  if (!(error instanceof LapidaryError) || error.code === 'unavailable') return error
  return new LapidaryError('unavailable', 'it may have been made already; look before you send it again', {
    cause: error,
  })
}

function isCanceled(error: unknown): error is TransactionCanceledException {
  return error instanceof Error && error.name === 'TransactionCanceledException'
}

function reasonsOf({ CancellationReasons = [] }: TransactionCanceledException): readonly CancellationReason[] {
  return CancellationReasons
}

class CameBetween extends Error {
  override readonly name = 'CameBetween'
}

const BETWEEN: readonly string[] = ['not_found', 'version_conflict', 'condition_failed']

/** Plans writes of an item that the plan has read before; if it has changed since, the plan is made anew. */
export async function asRead(planned: Promise<PlannedWrites<unknown>>): Promise<readonly TransactWriteItem[]> {
  return (await unlessMoved(planned)).writes
}

/** Reads an item that the plan has read before; if it is there no more, the plan is made anew, and finds where it is. */
export async function unlessMoved<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof LapidaryError && BETWEEN.includes(error.code)) throw new CameBetween()
    throw error
  }
}

/** Makes the condition that an item is still as a delete of it was planned, without deleting it. */
export function stillThere([first]: readonly TransactWriteItem[]): TransactWriteItem {
  const { TableName, Key, ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } =
    first?.Delete ?? {}
  const names = ExpressionAttributeNames && { ExpressionAttributeNames }
  const values = ExpressionAttributeValues && { ExpressionAttributeValues }
  return { ConditionCheck: { TableName, Key, ConditionExpression, ...names, ...values } }
}

/** Makes the condition that there is no item where one was planned to be created, without creating it. */
export function stillFree([first]: readonly TransactWriteItem[]): TransactWriteItem {
  const { TableName, Item: { PK, SK } = {} } = first?.Put ?? {}
  const Key = { ...(PK && { PK }), ...(SK && { SK }) }
  return { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_not_exists(PK)' } }
}
