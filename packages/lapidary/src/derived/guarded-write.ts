import { createHash } from 'node:crypto'
import type { AttributeValue, Put, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import type { TargetKey } from './projection.ts'

/**
 * Tells what an item of derived data holds, so that a write can be refused when another came between. It is a digest and
 * no counter: an item that was removed and made anew would count from 1 again, and pass for the one that was read.
 */
export const REVISION = 'rev'

/**
 * Replaces an item of derived data, or removes it when `after` is undefined, unless it holds something else than `before`.
 */
export function guardedWrite(
  tableName: string,
  key: TargetKey,
  before: Entry | undefined,
  after: Entry | undefined,
): TransactWriteItem {
  const guard = unchangedSince(before)
  const Key = keyEntry(key)
  if (after === undefined) return { Delete: { TableName: tableName, Key, ...guard } }
  return {
    Put: { TableName: tableName, Item: { ...Key, ...after, [REVISION]: { S: digestOf(after) } }, ...guard },
  }
}

export function keyEntry({ PK, SK }: TargetKey): Record<string, AttributeValue> {
  return { PK: { S: PK }, SK: { S: SK } }
}

/** The condition that an item was not written since `before` was read. */
function unchangedSince(
  before: Entry | undefined,
): Pick<Put, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> & { readonly ConditionExpression: string } {
  if (before === undefined) return { ConditionExpression: 'attribute_not_exists(PK)' }
  const ExpressionAttributeNames = { '#rev': REVISION }
  const revision = before[REVISION]
  // An item that was put there by hand has none, and must not block what comes after it.
  if (revision === undefined) {
    return { ConditionExpression: 'attribute_exists(PK) AND attribute_not_exists(#rev)', ExpressionAttributeNames }
  }
  return {
    ConditionExpression: '#rev = :rev',
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ':rev': revision },
  }
}

/** 96 bits of what the item holds, whatever the order of its attributes. */
function digestOf(entry: Entry): string {
  const held = Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(held)).digest('base64url').slice(0, 16)
}
