import { DeleteItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { COVERED_PARTITION, POISON_PARTITION } from '../stream/poison.ts'
import { itemsOf, queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'

/**
 * Takes all records out of a replay's reach, before the first cut. They are forgotten when all is mended: in between, no
 * process can count them a second time, and none is lost if the repair dies. Returns how many there were.
 */
export async function coverPoison(table: TableClient): Promise<number> {
  let covered = 0
  for (const entry of await records(table, POISON_PARTITION)) {
    const SK = entry.SK?.S ?? ''
    const { tableName: TableName } = table
    try {
      await table.send(
        new TransactWriteItemsCommand({
          TransactItems: [
            {
              Delete: {
                TableName,
                Key: keyEntry({ PK: POISON_PARTITION, SK }),
                ConditionExpression: 'attribute_exists(PK)',
              },
            },
            { Put: { TableName, Item: { ...entry, PK: { S: COVERED_PARTITION } } } },
          ],
        }),
      )
      covered++
    } catch (error) {
      // It was replayed just now, so it is counted.
      if (!cancellationCodes(error).includes('ConditionalCheckFailed')) throw error
    }
  }
  return covered
}

/** Forgets the records that are counted now. Returns how many there were. */
export async function forgetCovered(table: TableClient): Promise<number> {
  const covered = await records(table, COVERED_PARTITION)
  for (const { PK: _, ...record } of covered) {
    if (record.refusedBy?.L?.length) {
      // Its copies are still to be made.
      const Item = { ...record, PK: { S: POISON_PARTITION }, uncounted: { L: [] } }
      await table.send(new PutItemCommand({ TableName: table.tableName, Item }))
    }
    const Key = keyEntry({ PK: COVERED_PARTITION, SK: record.SK?.S ?? '' })
    await table.send(new DeleteItemCommand({ TableName: table.tableName, Key }))
  }
  return covered.length
}

function records(table: TableClient, partition: string): Promise<readonly Entry[]> {
  return itemsOf(queryPages(table, { ...wholePartition(partition), ConsistentRead: true }))
}
