import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { Again, retrying } from './retrying.ts'
import type { TableClient } from './table-client.ts'

/** The most that one BatchWriteItem takes. */
const BATCH = 25
const MOST_TRIES = 10

/**
 * Puts and deletes items of different keys, in batches; it sends again what DynamoDB leaves of a batch. It takes requests as it sends them, so
 * that memory holds no more than one batch.
 *
 * @param what The subject of the message.
 * @throws {LapidaryError} `unavailable` when DynamoDB keeps leaving some requests.
 */
export async function writeRequests(table: TableClient, requests: Iterable<WriteRequest>, what: string): Promise<void> {
  const gaveUp = (tries: number): never => {
    throw new LapidaryError('unavailable', `DynamoDB left ${what} unwritten ${tries} times; run it again`)
  }
  for (const batch of requestBatches(requests)) {
    let left = batch
    await retrying<void>(table, { most: MOST_TRIES, gaveUp }, async () => {
      const { UnprocessedItems } = await table.send(
        new BatchWriteItemCommand({ RequestItems: { [table.tableName]: left }, ReturnConsumedCapacity: 'TOTAL' }),
      )
      left = UnprocessedItems?.[table.tableName] ?? []
      return left.length === 0 ? undefined : new Again()
    })
  }
}

function* requestBatches(requests: Iterable<WriteRequest>): Generator<WriteRequest[], undefined> {
  let batch: WriteRequest[] = []
  for (const request of requests) {
    batch.push(request)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
