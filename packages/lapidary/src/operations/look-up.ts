import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { keyProblem } from '../model/key-text.ts'
import { outputItem, primaryKey } from '../model/stored-item.ts'
import { readEntries } from '../table/read-entries.ts'
import type { CollectionContext } from './context.ts'

/** The item with an id, read consistently: what was written is seen. Costs 1 RCU for each 4 KB. */
export async function getItem<I>(context: CollectionContext<I>, id: string): Promise<I> {
  return outputItem(context.collection, context.codec.toItem(await getEntry(context, id)))
}

const MOST_KEYS = 100

/** Items by their ids, in the order of these, undefined where there is none; read consistently, a hundred at once. Costs as much as {@link getItem} of each. */
export async function getItems<I>(
  context: CollectionContext<I>,
  ids: readonly string[],
): Promise<readonly (I | undefined)[]> {
  const { collection, codec, table } = context
  const keys = [...new Set(ids)].filter((id) => keyProblem(id) === undefined).map((id) => primaryKey(collection, id))
  const gaveUp = (left: number, tries: number): never => {
    throw new LapidaryError('unavailable', `DynamoDB left ${left} items unread ${tries} times in a row; try again`)
  }
  const found = new Map<string, I>()
  for (let i = 0; i < keys.length; i += MOST_KEYS) {
    for (const entry of await readEntries(table, keys.slice(i, i + MOST_KEYS).map(keyEntry), gaveUp)) {
      found.set(entry.PK?.S ?? '', await outputItem(collection, codec.toItem(entry)))
    }
  }
  return ids.map((id) => (keyProblem(id) === undefined ? found.get(primaryKey(collection, id).PK) : undefined))
}

/** @throws {LapidaryError} `not_found`. */
export async function getEntry(context: CollectionContext, id: string): Promise<Entry> {
  const { collection, table } = context
  if (keyProblem(id) !== undefined) throw notFound(context, id)
  const { PK, SK } = primaryKey(collection, id)
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: { PK: { S: PK }, SK: { S: SK } }, ConsistentRead: true }),
  )
  if (Item === undefined) throw notFound(context, id)
  return Item
}

export function notFound({ collection }: CollectionContext, id: string): LapidaryError {
  return new LapidaryError('not_found', `there is no ${collection.name} with the id ${shown(id)}`)
}
