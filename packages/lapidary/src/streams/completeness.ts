import { GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { COUNTED_FROM_START } from '../table/counted-from-start.ts'
import type { TableClient } from '../table/table-client.ts'
import { readCheckpoint } from './checkpoint.ts'
import { COVERED_PARTITION, POISON_PARTITION } from './poison.ts'

/**
 * Whether the counts of a table lack nothing but what is still in the stream: they were counted from an empty table or
 * rebuilt, no records were lost to the stream's retention, and none were set aside. Costs some 3 RCU.
 */
export async function countsAreComplete(table: TableClient, shardIds: readonly string[]): Promise<boolean> {
  const [mark, aside, covered, checkpoints] = await Promise.all([
    table.send(new GetItemCommand({ TableName: table.tableName, Key: COUNTED_FROM_START, ConsistentRead: true })),
    isEmpty(table, POISON_PARTITION),
    isEmpty(table, COVERED_PARTITION),
    Promise.all(shardIds.map((shardId) => readCheckpoint(table, shardId))),
  ])
  return mark.Item !== undefined && aside && covered && checkpoints.every(({ gap }) => !gap)
}

async function isEmpty(table: TableClient, partition: string): Promise<boolean> {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: table.tableName,
      KeyConditionExpression: 'PK = :partition',
      ExpressionAttributeValues: { ':partition': { S: partition } },
      ConsistentRead: true,
      Limit: 1,
    }),
  )
  return Items.length === 0
}

/** Says that from now on the counts are complete; for whoever has counted everything anew. */
export async function markCountsComplete(table: TableClient): Promise<void> {
  await table.send(new PutItemCommand({ TableName: table.tableName, Item: COUNTED_FROM_START }))
}
