import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { entryBytes } from '../../../model/entry.ts'
import { isUnsettled } from '../../../table/database-error.ts'
import { Again } from '../../../table/retrying.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { transactWrites } from '../../../table/transaction.ts'
import { MOST_TRANSACTION_BYTES } from '../../../writes/item-writes.ts'
import type { CommitResult } from '../../tree/node-store.ts'

/** DynamoDB's caps on the items of a transaction, and on the bytes of one. */
const MOST_ITEMS = 100
const MOST_ITEM_BYTES = 400 * 1024

/** Tries once to make writes in one transaction. */
export async function transact(table: TableClient, writes: readonly TransactWriteItem[]): Promise<CommitResult> {
  if (writes.length === 0) return 'made'
  const isTooLarge = writes.some((write) => bytesOf([write]) > MOST_ITEM_BYTES)
  if (isTooLarge || writes.length > MOST_ITEMS || bytesOf(writes) > MOST_TRANSACTION_BYTES) return 'too large'
  try {
    await transactWrites(table, writes, { ReturnConsumedCapacity: 'TOTAL' })
  } catch (error) {
    if (!isUnsettled(error)) throw error
    return new Again(error)
  }
  return 'made'
}

/** Bytes of the items that transaction writes put. */
export function bytesOf(writes: readonly TransactWriteItem[]): number {
  return writes.reduce((sum, { Put }) => sum + (Put?.Item === undefined ? 0 : entryBytes(Put.Item)), 0)
}
