import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { isTextIndex, madeKeys } from '../layouts/index-definition.ts'
import { BOUND_BYTES, LONGEST_SORT_KEY } from '../layouts/indexes/longest-key.ts'
import { keysByRule } from '../layouts/indexes/rule-keys.ts'
import { haveSameKeys } from '../layouts/key-rule.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection, Item } from '../model/collection.ts'
import { type Entry, type EntryCodec, entryBytes } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { expiryEntry } from '../model/expiry.ts'
import { byteLength } from '../model/key-text.ts'
import { ownValue } from '../model/own-value.ts'
import { INTERNAL_VERSION } from '../model/reserved-names.ts'
import { isLacking, type Kept } from '../schema/index-states.ts'
import { type EntryWrite, entryWrites } from './entry-writes.ts'

/** An item as the table holds it. */
export interface StoredItem {
  /** The attributes from which its keys are made. */
  readonly item: Item
  /** The stored attributes, by name and not by stored name, where they are more than `item`. */
  readonly attributes?: Item
  /** The primary entry as it was read; it may lack keys that the layout would give it. */
  readonly found?: Entry
  /** The stored entry whose values are kept where the item's read the same; {@link found} when not given. */
  readonly stays?: Entry
  /** The internal version, whatever the declaration; undefined for an item that another program wrote. */
  readonly version: number | undefined
}

/** The condition on the primary entry under which an item's writes are made. */
export interface WriteCondition {
  readonly ConditionExpression: string
  readonly ExpressionAttributeNames?: Record<string, string>
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>
}

/** The parts that an item's writes are made from. */
export interface WriteContext {
  readonly collection: Collection
  readonly layout: CollectionLayout
  readonly codec: EntryCodec
  readonly tableName: string
  /** The indexes and fills that the table knows beyond the declaration. */
  readonly kept: Kept
}

/**
 * Returns the writes that bring the table from one state of an item to another, as parts of a transaction, the one with the condition first.
 * Every write of an item goes this way.
 *
 * @param before Undefined for a new item, and where the old item is replaced unread.
 * @param after Undefined for an item that is deleted.
 */
export function itemWrites(
  context: WriteContext,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
  condition?: WriteCondition,
): readonly TransactWriteItem[] {
  const declared = declaredEntries(context, before)
  const beside = undecided(declared[0], before?.found)
  const [primary, ...others] = withKept(context, declared, beside)
  const wanted = withKept(context, declaredEntries(context, after), beside)
  const had =
    primary === undefined
      ? []
      : [
          { ...asFound(context, primary, wanted[0], before?.found), ...movedKeys(context, primary, wanted[0]) },
          ...others,
        ]
  requireRoomForBounds(context, had, wanted)
  const writes = entryWrites(had, wanted).map((write) => wholeDuplicate(context.layout, write, wanted))
  requireTransactionSize(context, writes)
  return writes.map((write, i) => transactItem(context.tableName, write, i === 0 ? condition : undefined))
}

/**
 * Refuses a new key so long that the bound of a page behind it would not fit. A key that is stored already stays, so its item can be changed and
 * deleted.
 *
 * @throws {LapidaryError} `unprocessable` for such a key.
 */
function requireRoomForBounds({ layout }: WriteContext, had: readonly Entry[], wanted: readonly Entry[]): void {
  for (const { sortKey } of layout.indexes.filter(isTextIndex)) {
    for (const { [sortKey]: key } of wanted) {
      const bytes = byteLength(key?.S ?? '')
      if (bytes <= LONGEST_SORT_KEY - BOUND_BYTES || had.some((entry) => entry[sortKey]?.S === key?.S)) continue
      throw new LapidaryError(
        'unprocessable',
        `the key ${sortKey}, ${shown(key?.S)}, would have ${bytes} bytes, and DynamoDB takes ${LONGEST_SORT_KEY}, of which the bounds of pages need ${BOUND_BYTES}; shorten the id, or what the index sorts by`,
      )
    }
  }
}

/** @throws {LapidaryError} `unprocessable` for an item whose entries together exceed a transaction. */
function requireTransactionSize({ collection, layout }: WriteContext, writes: readonly EntryWrite[]): void {
  if (layout.duplicates === undefined || writes.length < 2) return
  const bytes = writes.reduce((sum, write) => sum + (write.kind === 'put' ? entryBytes(write.entry) : 0), 0)
  if (bytes <= MOST_TRANSACTION_BYTES) return
  throw new LapidaryError(
    'unprocessable',
    `the ${collection.name} has ${writes.length} entries of ${bytes} bytes together, and one transaction takes ${MOST_TRANSACTION_BYTES}: let the change stream keep them, powerSet({ kept: 'stream' }), or show large attributes in look-ups only`,
  )
}

/** Puts a further entry that changes as a whole: the price is the same, and the result is right whatever was there. */
function wholeDuplicate({ duplicates }: CollectionLayout, write: EntryWrite, wanted: readonly Entry[]): EntryWrite {
  const { SK } = write.key
  if (write.kind !== 'update' || duplicates?.owns(SK?.S ?? '') !== true) return write
  const entry = wanted.find((each) => each.SK?.S === SK?.S)
  return entry === undefined ? write : { kind: 'put', key: write.key, entry }
}

/** Returns the part of the primary entry, as it was read, that the writes decide: another program may have stored it without its index keys. */
function asFound(
  context: Pick<WriteContext, 'layout' | 'kept' | 'codec'>,
  made: Entry,
  wanted: Entry | undefined,
  found: Entry | undefined,
): Entry {
  if (found === undefined) return made
  // Attributes that are stored unpacked, or packed in another way, change with the item.
  const held = context.codec.itemNames(found)
  const decided = new Set([...Object.keys(made), ...Object.keys(wanted ?? {}), ...keyNames(context), ...held])
  return Object.fromEntries(Object.entries(found).filter(([name]) => decided.has(name)))
}

/**
 * Treats keys that the change moves as different from the wanted ones, whatever was read: a backfill may since have written the keys of the item
 * before the change.
 */
function movedKeys(context: Pick<WriteContext, 'layout' | 'kept'>, made: Entry, wanted: Entry | undefined): Entry {
  const moved = keyNames(context).filter(
    (name) => !isDeepStrictEqual(ownValue(made, name), wanted && ownValue(wanted, name)),
  )
  return Object.fromEntries(moved.map((name) => [name, { NULL: true }]))
}

function keyNames({ layout, kept }: Pick<WriteContext, 'layout' | 'kept'>): readonly string[] {
  return [
    ...layout.indexes.flatMap(madeKeys),
    ...kept.rules.flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]),
  ]
}

/** Returns the part of a read entry that the declaration does not know: it stays, and keys may be made from it. */
function undecided(made: Entry | undefined, found: Entry | undefined): Entry {
  return Object.fromEntries(
    Object.entries(found ?? {}).filter(([name]) => made === undefined || !Object.hasOwn(made, name)),
  )
}

/** Adds the keys of indexes that only the table knows, and the values that a new facet is filled with. */
function withKept(
  { layout, codec, kept }: Pick<WriteContext, 'layout' | 'codec' | 'kept'>,
  entries: readonly Entry[],
  beside: Entry,
): readonly Entry[] {
  const { rules, fills } = kept
  const [primary, ...others] = entries
  if (primary === undefined || (rules.length === 0 && Object.keys(fills).length === 0)) return entries
  const orders = rules.map(({ order }) => order)
  const missing = Object.entries(fills).filter(
    ([name]) => isLacking(primary, name, orders) && (Object.hasOwn(primary, name) || !Object.hasOwn(beside, name)),
  )
  const whole = { ...beside, ...primary, ...Object.fromEntries(missing) }
  const keys = rules.flatMap((rule) => Object.entries(keysByRule(rule, whole, codec) ?? {}))
  // The table's condition of a sparse index goes before the declaration's: other processes read the index by it.
  const replaced = rules.filter((rule) => layout.keyRules?.some((declared) => haveSameKeys(declared, rule)))
  const own = Object.entries(primary).filter(([name]) => !replaced.some(({ partitionKey }) => partitionKey === name))
  // Further entries are made from the same item.
  const further =
    layout.duplicates?.kept === 'write' ? layout.entriesOf(codec.plainItem(whole), whole).slice(1) : others
  return [Object.fromEntries([...own, ...missing, ...keys.map(([name, S]) => [name, { S }] as const)]), ...further]
}

/** Returns the entries that a write of an item makes, the primary one first. */
export function entriesOf(context: Omit<WriteContext, 'tableName'>, stored: StoredItem | undefined): readonly Entry[] {
  return withKept(context, declaredEntries(context, stored), {})
}

function declaredEntries(
  { collection, layout, codec }: Omit<WriteContext, 'tableName' | 'kept'>,
  stored: StoredItem | undefined,
): readonly Entry[] {
  if (stored === undefined) return []
  const { item, version } = stored
  const kept = codec.toEntry(stored.attributes ?? item, stored.stays ?? stored.found)
  const attributes = { ...kept, ...expiryEntry(collection, item) }
  const counted = version === undefined ? {} : { [INTERNAL_VERSION]: { N: String(version) } }
  const entries = layout.entriesOf(item, { ...attributes, ...counted })
  return layout.duplicates?.kept === 'stream' ? entries.slice(0, 1) : entries
}

/** Returns one write as a part of a transaction. */
export function transactItem(
  TableName: string,
  write: EntryWrite,
  condition: WriteCondition | undefined,
): TransactWriteItem {
  const Key = { ...write.key } as Record<string, AttributeValue>
  switch (write.kind) {
    case 'put':
      return { Put: { TableName, Item: { ...write.entry }, ...condition } }
    case 'delete':
      return { Delete: { TableName, Key, ...condition } }
    case 'update':
      return { Update: { TableName, Key, ...updateExpression(write.set, write.remove, condition) } }
  }
}

/** DynamoDB's cap on a transaction, in bytes. */
export const MOST_TRANSACTION_BYTES: number = 4 * 1024 * 1024
/** DynamoDB's cap on one expression, in bytes. Some 290 attributes fit, which is below its cap of 300 operators too. */
const LONGEST_EXPRESSION = 4096

/**
 * Makes the update expression. A put of the whole entry would have no such limit, but would lose what other programs have stored in it since it
 * was read.
 *
 * @throws {LapidaryError} `unprocessable` for more attributes than one expression holds.
 */
function updateExpression(
  set: Entry,
  remove: readonly string[],
  condition: WriteCondition | undefined,
): Pick<Required<NonNullable<TransactWriteItem['Update']>>, 'UpdateExpression'> & Partial<WriteCondition> {
  const names: Record<string, string> = { ...condition?.ExpressionAttributeNames }
  const values: Record<string, AttributeValue> = { ...condition?.ExpressionAttributeValues }
  const settings = Object.entries(set).map(([name, value], i) => {
    names[`#s${i}`] = name
    values[`:s${i}`] = value
    return `#s${i} = :s${i}`
  })
  const removals = remove.map((name, i) => {
    names[`#r${i}`] = name
    return `#r${i}`
  })
  const clauses = [
    ...(settings.length === 0 ? [] : [`SET ${settings.join(', ')}`]),
    ...(removals.length === 0 ? [] : [`REMOVE ${removals.join(', ')}`]),
  ]
  const UpdateExpression = clauses.join(' ')
  if (byteLength(UpdateExpression) > LONGEST_EXPRESSION) {
    throw new LapidaryError(
      'unprocessable',
      `the change is of ${settings.length + removals.length} attributes, and one update of DynamoDB can name some 290; make it in several patches`,
    )
  }
  return {
    UpdateExpression,
    ...(condition === undefined ? {} : { ConditionExpression: condition.ConditionExpression }),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
  }
}
