import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { Again, retrying } from './retrying.ts'
import type { TableClient } from './table-client.ts'

/** The most that one BatchWriteItem takes. */
const BATCH = 25
const MOST_TRIES = 10

/**
 * Puts and deletes items of different keys, in batches; what DynamoDB leaves of one is sent again.
 *
 * @param what What is written, for the message.
 * @throws {LapidaryError} `unavailable` when DynamoDB keeps leaving some.
 */
export async function writeRequests(
  table: TableClient,
  requests: readonly WriteRequest[],
  what: string,
): Promise<void> {
  const gaveUp = (tries: number): never => {
    throw new LapidaryError('unavailable', `DynamoDB left ${what} unwritten ${tries} times; run it again`)
  }
  for (let i = 0; i < requests.length; i += BATCH) {
    let left = requests.slice(i, i + BATCH)
    await retrying<void>(table, { most: MOST_TRIES, gaveUp }, async () => {
      const { UnprocessedItems } = await table.send(
        new BatchWriteItemCommand({ RequestItems: { [table.tableName]: left }, ReturnConsumedCapacity: 'TOTAL' }),
      )
      left = UnprocessedItems?.[table.tableName] ?? []
      return left.length === 0 ? undefined : new Again()
    })
  }
}
