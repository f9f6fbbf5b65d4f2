import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { COUNTED_FROM_START } from '../schema/counted-from-start.ts'
import type { TableClient } from '../table/table-client.ts'

/** Says that from now on the counts know of every item: everything was counted anew. */
export async function markCountsComplete(table: TableClient): Promise<void> {
  await table.send(new PutItemCommand({ TableName: table.tableName, Item: COUNTED_FROM_START }))
}

/** Says that the counts may lack something for good: records were lost. It outlives the shard that lost them. */
export async function unmarkCountsComplete(table: TableClient): Promise<void> {
  await table.send(new DeleteItemCommand({ TableName: table.tableName, Key: COUNTED_FROM_START }))
}

export async function areCountsMarkedComplete(table: TableClient): Promise<boolean> {
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: COUNTED_FROM_START, ConsistentRead: true }),
  )
  return Item !== undefined
}
