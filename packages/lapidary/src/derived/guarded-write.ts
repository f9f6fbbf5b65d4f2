import { randomBytes } from 'node:crypto'
import type { AttributeValue, Put, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import type { TargetKey } from './target-key.ts'

/**
 * A name for each write of an item of derived data, so that a later one can be refused when another came between. It is drawn
 * anew each time: a digest of what the item holds would come back when a count goes up and down again, and a counter when the item
 * is removed and made anew.
 */
export const REVISION = 'rev'

const REVISION_BYTES = 12
/** Random bytes are drawn for many revisions at once: a draw costs as much as all else that a write does here. */
const DRAWN_TOGETHER = 256

let drawn: Buffer = Buffer.alloc(0)

function nextRevision(): string {
  if (drawn.length === 0) drawn = randomBytes(REVISION_BYTES * DRAWN_TOGETHER)
  const revision = drawn.toString('base64url', 0, REVISION_BYTES)
  drawn = drawn.subarray(REVISION_BYTES)
  return revision
}

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
    Put: {
      TableName: tableName,
      Item: { ...Key, ...after, [REVISION]: { S: nextRevision() } },
      ...guard,
    },
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
