import { type AttributeValue, BatchGetItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { projection } from './projection.ts'
import { Again, retrying } from './retrying.ts'
import type { TableClient } from './table-client.ts'

const MAX_TRIES = 10

/**
 * Reads an entry by its key, consistently.
 *
 * @param names The attributes to read; all when not given.
 */
export async function readEntry(
  { tableName: TableName, send }: TableClient,
  Key: Record<string, AttributeValue>,
  names?: readonly string[] | undefined,
): Promise<Entry | undefined> {
  return (await send(new GetItemCommand({ TableName, Key, ConsistentRead: true, ...projection(names) }))).Item
}

/** How entries are read beyond their keys. */
export interface ReadEntriesOptions {
  /** The attributes to read; all when not given. */
  readonly names?: readonly string[] | undefined
  /** Whether every write that was made before is seen, for twice the capacity; true when not given. */
  readonly consistent?: boolean
  /** Told RCU of each request. */
  readonly onSpent?: (rcu: number) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads up to 100 entries by their keys. It asks again for the keys that DynamoDB leaves unread, which the SDK leaves to its
 * caller.
 *
 * @param gaveUp Throws; called with the number of keys left, after the last try.
 */
export async function readEntries(
  table: TableClient,
  keys: readonly Record<string, AttributeValue>[],
  gaveUp: (left: number, tries: number) => never,
  { names, consistent = true, onSpent, signal }: ReadEntriesOptions = {},
): Promise<readonly Entry[]> {
  const found: Entry[] = []
  let left = [...keys]
  if (left.length === 0) return found
  return retrying<readonly Entry[]>(
    table,
    { most: MAX_TRIES, gaveUp: (tries) => gaveUp(left.length, tries) },
    async () => {
      const { Responses, UnprocessedKeys, ConsumedCapacity } = await table.send(
        new BatchGetItemCommand({
          RequestItems: { [table.tableName]: { Keys: left, ConsistentRead: consistent, ...projection(names) } },
          ReturnConsumedCapacity: 'TOTAL',
        }),
        signal === undefined ? undefined : { abortSignal: signal },
      )
      onSpent?.((ConsumedCapacity ?? []).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0))
      found.push(...(Responses?.[table.tableName] ?? []))
      left = UnprocessedKeys?.[table.tableName]?.Keys ?? []
      return left.length === 0 ? found : new Again()
    },
  )
}
