import { createHash } from 'node:crypto'
import { types } from 'node:util'
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Item } from '../model/collection.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { escapeComponent } from '../model/key-text.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'
import { getEntry } from '../read/look-up.ts'
import { readEntry } from '../table/read-entries.ts'
import type { CollectionContext } from './context.ts'

const IDEMPOTENCY_SECONDS = 24 * 3600

/** The record of an idempotency key: the item that it was used for, and the first answer, for a day. */
export interface IdempotencyRecord {
  readonly idempotencyKey: string
  readonly key: Record<string, AttributeValue>
  readonly digest: string
}

export function idempotencyRecord(
  { collection }: CollectionContext,
  idempotencyKey: string,
  input: Item,
): IdempotencyRecord {
  return {
    idempotencyKey,
    // Keys of items begin with the collection's name, so no record has the key of an item.
    key: { PK: { S: `~once#${collection.name}#${escapeComponent(idempotencyKey)}` }, SK: { S: PRIMARY_SORT_KEY } },
    digest: createHash('sha256').update(sortedJson(input)).digest('base64url'),
  }
}

/** Makes the part of a transaction that takes the key, and refuses one that is taken. */
export function takeKey(
  { table, codec, clock }: CollectionContext,
  { key, digest }: IdempotencyRecord,
  first: Item,
): TransactWriteItem {
  const now = Math.floor(clock() / 1000)
  return {
    Put: {
      TableName: table.tableName,
      Item: {
        ...key,
        digest: { S: digest },
        first: { M: codec.toEntry(first) },
        [TTL_ATTRIBUTE]: { N: String(now + IDEMPOTENCY_SECONDS) },
      },
      ConditionExpression: 'attribute_not_exists(PK) OR #ttl <= :now',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: { ':now': { N: String(now) } },
    },
  }
}

/**
 * Returns the answer of the key's first use; undefined when it was not used, or was used more than a day ago.
 *
 * @throws {LapidaryError} `idempotency_mismatch` when it was used for another item; `not_found` when the item that it made was deleted since.
 */
export async function firstAnswer<I>(
  context: CollectionContext<I>,
  { key, digest, idempotencyKey }: IdempotencyRecord,
): Promise<I | undefined> {
  const { table, codec, clock, collection } = context
  const record = await readEntry(table, key)
  if (record?.first?.M === undefined || Number(record[TTL_ATTRIBUTE]?.N) * 1000 <= clock()) return undefined
  if (record.digest?.S !== digest) {
    throw new LapidaryError(
      'idempotency_mismatch',
      `idempotency key ${shown(idempotencyKey)} was used for another item; take a new key for a new item`,
    )
  }
  const first = codec.toItem(record.first.M)
  const id = String(first[collection.id])
  if (await exists(context, id)) return first as I
  throw new LapidaryError(
    'not_found',
    `idempotency key ${shown(idempotencyKey)} has made the ${collection.name} ${shown(id)}, which was deleted since; take a new key to make another`,
  )
}

async function exists(context: CollectionContext, id: string): Promise<boolean> {
  try {
    await getEntry(context, id)
    return true
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'not_found') return false
    throw error
  }
}

/** Writes JSON with sorted keys, so that the order in which attributes were sent makes no difference; values that JSON lacks are written too. */
function sortedJson(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) => {
    if (typeof value === 'bigint') return { bigint: String(value) }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    if (types.isSet(value)) return { set: [...value].map(sortedJson).sort() }
    if (types.isAnyArrayBuffer(value)) return { bytes: [...new Uint8Array(value)] }
    const members: [unknown, unknown][] = types.isMap(value) ? [...value] : Object.entries(value)
    return Object.fromEntries(members.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
  })
}
