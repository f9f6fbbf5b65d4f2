import { TransactGetItemsCommand, type TransactGetItemsCommandOutput } from '@aws-sdk/client-dynamodb'
import type { Change, CollectionContext } from 'lapidary'
import { comments } from './comment.ts'

/** The table in which comments are. */
export type KeptTable = Pick<CollectionContext['table'], 'tableName' | 'send'>

/** The prefixes of keys under which a comment can be: its own, and that of the cases of moderators, which hold one that is not shown. */
export const SHOWN: string = `${comments.name}#`
export const HELD = 'CASE#'

/** Returns the name under which an attribute of comments is stored. */
export function storedName(attribute: 'id' | 'createdAt' | 'attached'): string {
  return comments.attributes?.[attribute]?.name ?? attribute
}

type StoredItem = NonNullable<NonNullable<TransactGetItemsCommandOutput['Responses']>[number]['Item']>

/** Tells whether a key is of an item that is a comment, or may hold one. */
export function mayKeepComment({ PK, SK }: Change['key']): boolean {
  return SK === '~' && (PK.startsWith(SHOWN) || PK.startsWith(HELD))
}

/** Returns the id of a comment as it stands in keys. */
export function idInKey({ PK }: Change['key']): string {
  return PK.slice(PK.indexOf('#') + 1)
}

/** Returns the key of a comment that is shown. */
export function shownKey(idKey: string): StoredItem {
  return keyOf(SHOWN, idKey)
}

/** Reads a comment where it can be, shown and held, at one moment, since it may be moving. */
export async function readKept(
  { tableName: TableName, send }: KeptTable,
  idKey: string,
): Promise<{ readonly shown: StoredItem | undefined; readonly held: StoredItem | undefined }> {
  const { Responses = [] } = await send(
    new TransactGetItemsCommand({
      TransactItems: [SHOWN, HELD].map((prefix) => ({ Get: { TableName, Key: keyOf(prefix, idKey) } })),
    }),
  )
  const [shown, held] = Responses
  return { shown: shown?.Item, held: held?.Item }
}

function keyOf(prefix: string, idKey: string): StoredItem {
  return { PK: { S: `${prefix}${idKey}` }, SK: { S: '~' } }
}
