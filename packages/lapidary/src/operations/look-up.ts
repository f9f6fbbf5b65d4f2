import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { keyProblem } from '../model/key-text.ts'
import { primaryKey } from '../model/stored-item.ts'
import type { CollectionContext } from './context.ts'

/** The item with an id, read consistently: what was written is seen. Costs 1 RCU for each 4 KB. */
export async function getItem<I>(context: CollectionContext<I>, id: string): Promise<I> {
  return context.codec.toItem(await getEntry(context, id)) as I
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
