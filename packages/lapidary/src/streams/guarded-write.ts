import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../table/entry.ts'
import type { TargetKey } from './projection.ts'

/** Counts the writes of an item of derived data, so that a write can be refused when another came between. */
const REVISION = 'rev'

/**
 * Replaces an item of derived data, or removes it when `after` is undefined, unless it was written since `before` was read.
 */
export function guardedWrite(
  tableName: string,
  key: TargetKey,
  before: Entry | undefined,
  after: Entry | undefined,
): TransactWriteItem {
  const revision = Number(before?.[REVISION]?.N ?? 0)
  const guard =
    before === undefined
      ? { ConditionExpression: 'attribute_not_exists(PK)' }
      : {
          ConditionExpression: '#rev = :rev',
          ExpressionAttributeNames: { '#rev': REVISION },
          ExpressionAttributeValues: { ':rev': { N: String(revision) } },
        }
  const Key = keyEntry(key)
  if (after === undefined) return { Delete: { TableName: tableName, Key, ...guard } }
  return {
    Put: { TableName: tableName, Item: { ...Key, ...after, [REVISION]: { N: String(revision + 1) } }, ...guard },
  }
}

export function keyEntry({ PK, SK }: TargetKey): Record<string, AttributeValue> {
  return { PK: { S: PK }, SK: { S: SK } }
}
