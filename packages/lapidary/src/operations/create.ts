import { createHash } from 'node:crypto'
import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../model/collection.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { escapeComponent, keyProblem } from '../model/key-text.ts'
import { INTERNAL_VERSION } from '../model/reserved-names.ts'
import { PRIMARY_SORT_KEY, primaryKey, validItem } from '../model/stored-item.ts'
import { jitteredDelay } from '../table/retrying.ts'
import { cancellationCodes } from '../table/transaction.ts'
import type { CollectionContext } from './context.ts'
import { sortableId } from './sortable-id.ts'

export interface CreateOptions {
  /** The same key with the same item again gives the first answer, for a day. Doubles the write's cost: it is a transaction. */
  readonly idempotencyKey?: string | undefined
}

const IDEMPOTENCY_SECONDS = 24 * 3600
const MAX_CONFLICTS = 8

/**
 * Stores a new item. An id, the first version and, for lists in order of time, the time are made when not given.
 *
 * @throws {LapidaryError} `unprocessable`, `already_exists`, `idempotency_mismatch`.
 */
export async function createItem<I>(
  context: CollectionContext<I>,
  input: Item,
  options: CreateOptions = {},
): Promise<I> {
  const item = await validItem(context.collection, withManagedAttributes(context, input))
  const entry = entryOf(context, item as Item)
  try {
    return options.idempotencyKey === undefined
      ? await putNew(context, input, item, entry)
      : await createOnce(context, input, item, entry, options.idempotencyKey)
  } finally {
    context.statistics?.wrote(String((item as Item)[context.collection.scope.attribute]))
  }
}

async function putNew<I>(
  context: CollectionContext<I>,
  input: Item,
  item: I,
  entry: Record<string, AttributeValue>,
): Promise<I> {
  const { table } = context
  try {
    await table.send(
      new PutItemCommand({ TableName: table.tableName, Item: entry, ConditionExpression: 'attribute_not_exists(PK)' }),
    )
    return item
  } catch (error) {
    const exists = error instanceof Error && error.name === 'ConditionalCheckFailedException'
    // Nobody else can have the id that was made here: an earlier try of this write got through, and its answer was lost.
    if (exists && input[context.collection.id] === undefined) return item
    throw exists ? alreadyExists(context, item as Item) : error
  }
}

/** An item as the table stores it: primary key, attributes, index keys. */
export function entryOf({ collection, codec, layout }: CollectionContext, item: Item): Record<string, AttributeValue> {
  const { PK, SK } = primaryKey(collection, String(item[collection.id]))
  const keys = Object.entries(layout.keysOf(item)).map(([name, S]) => [name, { S }])
  const version = collection.version === undefined ? { [INTERNAL_VERSION]: { N: '1' } } : {}
  return { PK: { S: PK }, SK: { S: SK }, ...codec.toEntry(item), ...version, ...Object.fromEntries(keys) }
}

function withManagedAttributes({ collection, clock, table }: CollectionContext, input: Item): Item {
  const { id, order, version, updatedAt } = collection
  const now = clock()
  return {
    ...input,
    [id]: input[id] ?? sortableId(now, table.random),
    ...(order.type === 'time' ? { [order.attribute]: input[order.attribute] ?? new Date(now).toISOString() } : {}),
    ...(version === undefined ? {} : { [version]: 1 }),
    ...(updatedAt === undefined ? {} : { [updatedAt]: null }),
  }
}

async function createOnce<I>(
  context: CollectionContext<I>,
  input: Item,
  item: I,
  entry: Record<string, AttributeValue>,
  idempotencyKey: string,
): Promise<I> {
  const { table, codec, clock } = context
  const problem = keyProblem(idempotencyKey)
  if (problem !== undefined)
    throw unprocessable('the idempotency key was refused', [{ path: 'idempotencyKey', message: problem }])
  const key = idempotencyRecordKey(context.collection, idempotencyKey)
  const digest = createHash('sha256').update(canonicalText(input)).digest('base64url')
  const expires = Math.floor(clock() / 1000) + IDEMPOTENCY_SECONDS
  const record = {
    ...key,
    digest: { S: digest },
    first: { M: codec.toEntry(item as Item) },
    ttl: { N: String(expires) },
  }
  const put = (Item: Record<string, AttributeValue>, unless: string) => ({
    Put: {
      TableName: table.tableName,
      Item,
      ConditionExpression: unless,
      ...(unless.includes('#ttl')
        ? {
            ExpressionAttributeNames: { '#ttl': 'ttl' },
            ExpressionAttributeValues: { ':now': { N: String(Math.floor(clock() / 1000)) } },
          }
        : {}),
    },
  })
  for (let attempt = 1; ; attempt++) {
    try {
      await table.send(
        new TransactWriteItemsCommand({
          TransactItems: [
            put(record, 'attribute_not_exists(PK) OR #ttl <= :now'),
            put(entry, 'attribute_not_exists(PK)'),
          ],
        }),
      )
      return item
    } catch (error) {
      const [onRecord, onItem] = cancellationCodes(error)
      if (onRecord === undefined) throw error
      const first = await firstAnswer(context, key, digest, idempotencyKey)
      if (first !== undefined) return first
      if (onItem === 'ConditionalCheckFailed') throw alreadyExists(context, item as Item)
      if (attempt >= MAX_CONFLICTS) {
        throw new LapidaryError(
          'unavailable',
          `another write kept conflicting with idempotency key ${shown(idempotencyKey)}; try again`,
          { cause: error },
        )
      }
      await table.sleep(jitteredDelay(attempt, table.random))
    }
  }
}

async function firstAnswer<I>(
  { table, codec, clock }: CollectionContext<I>,
  key: Record<string, AttributeValue>,
  digest: string,
  idempotencyKey: string,
): Promise<I | undefined> {
  const { Item: record } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: key, ConsistentRead: true }),
  )
  if (record?.first?.M === undefined || Number(record.ttl?.N) * 1000 <= clock()) return undefined
  if (record.digest?.S !== digest) {
    throw new LapidaryError(
      'idempotency_mismatch',
      `idempotency key ${shown(idempotencyKey)} was used for another item; take a new key for a new item`,
    )
  }
  return codec.toItem(record.first.M) as I
}

/** `COMMENT~<key>`: no item's key has a `~` there, so no record meets an item. */
function idempotencyRecordKey({ name }: Collection, key: string): Record<string, AttributeValue> {
  return { PK: { S: `${name}~${escapeComponent(key)}` }, SK: { S: PRIMARY_SORT_KEY } }
}

/** JSON with sorted keys, so that the order in which attributes were sent makes no difference. */
function canonicalText(input: Item): string {
  return JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

function alreadyExists({ collection }: CollectionContext, item: Item): LapidaryError {
  return new LapidaryError(
    'already_exists',
    `a ${collection.name} with the id ${shown(item[collection.id])} exists already; change it, or choose another id`,
  )
}
