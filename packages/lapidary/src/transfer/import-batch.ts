import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { meaningOf, validationMessage } from '../table/error-meaning.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import type { ImportRecord } from './import-record.ts'

/** An item on its way into the table. */
export interface PendingWrite {
  readonly record: ImportRecord
  readonly entry: Entry
}

/** A write that did not happen: `refused` by what the item is, or `unprocessed` after bounded tries. */
export interface FailedWrite {
  readonly record: ImportRecord
  readonly kind: 'refused' | 'unprocessed'
  readonly reason: string
}

/** What came of a batch. */
export interface BatchOutcome {
  readonly failed: readonly FailedWrite[]
  /** Items that stayed as they are, since the table has them already. */
  readonly skipped: number
}

/** The most that one BatchWriteItem takes, and one batch of statements. */
export const BATCH_SIZE = 25

export const MAX_ATTEMPTS = 10

/**
 * Writes up to 25 items with different keys. UnprocessedItems are sent again with full jitter, which the SDK leaves to its
 * callers; a batch that DynamoDB refuses as a whole is halved until the item at fault stands alone.
 *
 * @returns What was not written.
 */
export async function writeBatch(table: TableClient, writes: readonly PendingWrite[]): Promise<readonly FailedWrite[]> {
  const { tableName } = table
  let left = writes
  const gaveUp = (tries: number): readonly FailedWrite[] => left.map(({ record }) => unprocessedWrite(record, tries))
  return retrying(table, { most: MAX_ATTEMPTS, gaveUp }, async () => {
    let unprocessed: readonly WriteRequest[]
    try {
      const requests = left.map(({ entry }) => ({ PutRequest: { Item: { ...entry } } }))
      const answer = await table.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }))
      unprocessed = answer.UnprocessedItems?.[tableName] ?? []
    } catch (error) {
      if (meaningOf(error) !== 'refused') throw error
      return isolateRefused(table, left, validationMessage(error) ?? '')
    }
    const keys = new Set(unprocessed.map(({ PutRequest }) => PutRequest?.Item?.PK?.S))
    left = left.filter(({ entry }) => keys.has(entry.PK?.S))
    return unprocessed.length === 0 ? [] : new Again()
  })
}

async function isolateRefused(
  table: TableClient,
  writes: readonly PendingWrite[],
  complaint: string,
): Promise<readonly FailedWrite[]> {
  const [only] = writes
  if (only === undefined) return []
  if (writes.length === 1)
    return [{ record: only.record, kind: 'refused', reason: `DynamoDB refused it: ${complaint}` }]
  const half = Math.ceil(writes.length / 2)
  const first = await writeBatch(table, writes.slice(0, half))
  return [...first, ...(await writeBatch(table, writes.slice(half)))]
}

export function unprocessedWrite(record: ImportRecord, attempts: number): FailedWrite {
  return {
    record,
    kind: 'unprocessed',
    reason: `DynamoDB left it unprocessed ${attempts} times; import again, or raise the table's capacity`,
  }
}
