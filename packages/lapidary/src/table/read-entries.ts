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

/**
 * Reads up to 100 entries by their keys, consistently. It asks again for the keys that DynamoDB leaves unread, which the SDK leaves to its
 * caller.
 *
 * @param gaveUp Throws; called with the number of keys left, after the last try.
 * @param names The attributes to read; all when not given.
 */
export async function readEntries(
  table: TableClient,
  keys: readonly Record<string, AttributeValue>[],
  gaveUp: (left: number, tries: number) => never,
  names?: readonly string[] | undefined,
): Promise<readonly Entry[]> {
  const found: Entry[] = []
  let left = [...keys]
  if (left.length === 0) return found
  return retrying<readonly Entry[]>(
    table,
    { most: MAX_TRIES, gaveUp: (tries) => gaveUp(left.length, tries) },
    async () => {
      const { Responses, UnprocessedKeys } = await table.send(
        new BatchGetItemCommand({
          RequestItems: { [table.tableName]: { Keys: left, ConsistentRead: true, ...projection(names) } },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      )
      found.push(...(Responses?.[table.tableName] ?? []))
      left = UnprocessedKeys?.[table.tableName]?.Keys ?? []
      return left.length === 0 ? found : new Again()
    },
  )
}
