import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { TableClient } from '../table/table-client.ts'
import type { Change } from './change.ts'
import { keyEntry } from './guarded-write.ts'
import type { TargetKey } from './projection.ts'

/** All records that were set aside are one partition, in order of shard and sequence. They are rare. */
export const POISON_PARTITION = '~POISON'

/** Images beyond this are left out, so that the item with the record stays under DynamoDB's 400 KB. */
const LARGEST_IMAGE_TEXT = 350_000

export function poisonKey(shardId: string, change: Change): TargetKey {
  return { PK: POISON_PARTITION, SK: `${shardId}#${change.sequenceNumber.padStart(40, '0')}` }
}

/** Keeps a record that no projection can take in, with the reason, so that it blocks nothing and can be replayed. */
export function setAside(table: TableClient, shardId: string, change: Change, error: unknown): TransactWriteItem {
  const images = JSON.stringify({ before: change.before, after: change.after })
  const Item: Record<string, AttributeValue> = {
    ...keyEntry(poisonKey(shardId, change)),
    record: { S: JSON.stringify({ key: change.key, sequenceNumber: change.sequenceNumber, at: change.at }) },
    error: { S: error instanceof Error ? error.message.slice(0, 2_000) : String(error).slice(0, 2_000) },
    ...(images.length <= LARGEST_IMAGE_TEXT ? { images: { S: images } } : {}),
  }
  return { Put: { TableName: table.tableName, Item } }
}
