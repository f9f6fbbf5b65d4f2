import { createHash } from 'node:crypto'
import { type AttributeValue, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { type Entry, type Item, LapidaryError, shown } from 'lapidary'
import { primaryKey } from 'lapidary/layouts'
import type { OpenCollection } from '../studio-options.ts'
import { declaredFirst } from './declared-first.ts'

/** An item as it is in the table. */
export interface FoundItem {
  readonly id: string
  /** What is stored, with the keys. */
  readonly stored: Entry
  /** Stands for exactly what is stored: another text says that it was changed. */
  readonly digest: string
  /** Undefined where a number in it can't be read as the declaration says. */
  readonly item: Item | undefined
  /** Why it can't be read. */
  readonly problem: string | undefined
  /** Whether its time is over: lists hide it, and DynamoDB removes it. */
  readonly isExpired: boolean
}

/**
 * Reads an item with all that is stored of it, consistently.
 *
 * @throws {LapidaryError} `not_found`.
 */
export async function readItem({ collection, client }: OpenCollection, id: string): Promise<FoundItem> {
  const { table, codec, clock } = client.context
  const stored = await readEntry(table, primaryKeyOf(collection, id))
  if (stored === undefined) throw notFound(collection.name, id)
  const expires = collection.expires === undefined ? undefined : codec.nearestItem(stored)[collection.expires]
  return {
    ...{ id, stored, digest: digestOf(stored) },
    ...itemIn(() => declaredFirst(collection, codec.toItem(stored))),
    isExpired: typeof expires === 'string' && Date.parse(expires) <= clock(),
  }
}

type Reader = OpenCollection['client']['context']['table']

/** Reads one entry by its keys; undefined where there is none. */
export async function readEntry(
  { send, tableName }: Reader,
  key: { readonly PK: string; readonly SK: string },
): Promise<Entry | undefined> {
  const Key = { PK: { S: key.PK }, SK: { S: key.SK } }
  const { Item: found } = await send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }))
  return found
}

/** What DynamoDB takes of a key is at most this many bytes: a longer id is of no item. */
function primaryKeyOf(collection: OpenCollection['collection'], id: string): { PK: string; SK: string } {
  if (id === '' || Buffer.byteLength(id) > 1024) throw notFound(collection.name, id)
  const { PK, SK } = primaryKey(collection, id)
  return { PK, SK }
}

function itemIn(read: () => Item): Pick<FoundItem, 'item' | 'problem'> {
  try {
    return { item: read(), problem: undefined }
  } catch (error) {
    if (!(error instanceof LapidaryError) || error.code !== 'table_mismatch') throw error
    return { item: undefined, problem: error.message }
  }
}

export function notFound(name: string, id: string): LapidaryError {
  return new LapidaryError('not_found', `there is no ${name} with the id ${shown(id)}`)
}

function digestOf(stored: Entry): string {
  return createHash('sha256').update(canonical(stored)).digest('base64url')
}

/** Writes what is stored in one way, whatever the order of its names. */
function canonical(value: Entry | AttributeValue): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString('base64')
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
