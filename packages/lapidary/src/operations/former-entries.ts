import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Item } from '../model/collection.ts'
import { plainKeyOf, primaryKey } from '../model/stored-item.ts'
import { itemsOfPages, queryPages, wholePartition } from '../table/paging.ts'
import type { WriteContext } from '../writes/item-writes.ts'
import type { CollectionContext } from './context.ts'

/** DynamoDB takes 100 writes in a transaction, and one may be that of an idempotency key. */
const MOST_WRITES = 99

/**
 * Returns the deletes of further entries that an expired item has left under the id of a new one, which DynamoDB has not removed yet. It costs a
 * read where entries can be left: not where items never expire, nor where they have one entry.
 *
 * @param writes The writes of the new item.
 */
export async function deletesOfFormer(
  { collection, table }: CollectionContext,
  { layout: { duplicates } }: WriteContext,
  item: Item,
  writes: readonly TransactWriteItem[],
): Promise<readonly TransactWriteItem[]> {
  if (collection.expires === undefined || duplicates?.kept !== 'write') return []
  const { PK } = primaryKey(collection, String(item[collection.id]))
  const keys = { ...wholePartition(PK), ProjectionExpression: 'PK, SK', ConsistentRead: true }
  const put = new Set(writes.map(({ Put }) => Put?.Item?.SK?.S))
  const left = (await itemsOfPages(queryPages(table, keys)))
    .map(plainKeyOf)
    .filter(({ SK }) => duplicates.owns(SK) && !put.has(SK))
  const { tableName: TableName } = table
  return left.slice(0, MOST_WRITES - writes.length).map((key) => ({ Delete: { TableName, Key: keyEntry(key) } }))
}
