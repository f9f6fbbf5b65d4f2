import { GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { COUNTED_FROM_START } from '../table/counted-from-start.ts'
import type { TableClient } from '../table/table-client.ts'
import { readCheckpoint } from './checkpoint.ts'
import { POISON_PARTITION } from './poison.ts'

/**
 * Whether the counts of a table lack nothing but what is still in the stream: they were counted from an empty table or
 * rebuilt, no records were lost to the stream's retention, and none were set aside. Costs some 2 RCU.
 */
export async function countsAreComplete(table: TableClient, shardIds: readonly string[]): Promise<boolean> {
  const [mark, poison, checkpoints] = await Promise.all([
    table.send(new GetItemCommand({ TableName: table.tableName, Key: COUNTED_FROM_START, ConsistentRead: true })),
    table.send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: 'PK = :poison',
        ExpressionAttributeValues: { ':poison': { S: POISON_PARTITION } },
        ConsistentRead: true,
        Limit: 1,
      }),
    ),
    Promise.all(shardIds.map((shardId) => readCheckpoint(table, shardId))),
  ])
  return mark.Item !== undefined && (poison.Items ?? []).length === 0 && checkpoints.every(({ gap }) => !gap)
}

/** Says that from now on the counts are complete; for whoever has counted everything anew. */
export async function markCountsComplete(table: TableClient): Promise<void> {
  await table.send(new PutItemCommand({ TableName: table.tableName, Item: COUNTED_FROM_START }))
}
