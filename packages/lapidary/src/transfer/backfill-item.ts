import { isDeepStrictEqual } from 'node:util'
import { type AttributeValue, GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { readPartition } from '../duplicates/partition.ts'
import { settleDuplicates } from '../duplicates/settle-duplicates.ts'
import { ruleSources } from '../layouts/key-rule.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { expiryEntry } from '../model/expiry.ts'
import { keySources } from '../model/key-sources.ts'
import { ownValue } from '../model/own-value.ts'
import { INTERNAL_VERSION, TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import type { CollectionContext } from '../operations/context.ts'
import { type ExpectedKeys, expectedKeys, type KeyChanges, keyChanges } from '../schema/expected-keys.ts'
import { isLacking, type Kept, layoutKeeping } from '../schema/index-states.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { stillAsRead } from '../writes/as-read.ts'
import type { EntryKey } from '../writes/entry-writes.ts'
import { entriesOf, transactItem, type WriteCondition } from '../writes/item-writes.ts'
import { sendWrites } from '../writes/send-writes.ts'

/** What is written to items. */
export interface ItemBackfill {
  readonly context: CollectionContext
  /** The table, within the budget. */
  readonly table: TableClient
  /** The indexes whose keys are written. */
  readonly indexes: readonly string[]
  /** What the table has registered beside the declaration. */
  readonly kept: Kept
  readonly dryRun: boolean
}

/** What came of one item. */
export interface ItemOutcome {
  readonly written: boolean
  readonly filled: boolean
  /** How often another process came first. */
  readonly again: number
  readonly unfit: ExpectedKeys['unfit']
}

const MOST_TRIES = 10
const NOTHING: ItemOutcome = { written: false, filled: false, again: 0, unfit: new Map() }

/** Gives an item the keys, and where the layout has them the duplicates, that it should have. */
export async function backfillItem(backfill: ItemBackfill, scanned: Entry): Promise<ItemOutcome> {
  const outcome = await backfillKeys(backfill, scanned)
  const { table, kept, dryRun } = backfill
  const layout = layoutKeeping(backfill.context.layout, kept)
  if (layout.duplicates === undefined) return outcome
  const context = { ...backfill.context, layout, table }
  const partition = scanned.PK?.S ?? ''
  const duplicates = dryRun
    ? (await readPartition(context, partition)).differing.length
    : await settleDuplicates(context, partition)
  return { ...outcome, written: outcome.written || duplicates > 0 }
}

/**
 * Gives an entry the keys that it should have, on the condition that what they are made of is still what was read. Where it is not,
 * the entry is read again; one that is gone stays gone. Nothing else of the item is written.
 */
async function backfillKeys(backfill: ItemBackfill, scanned: Entry): Promise<ItemOutcome> {
  const { context, table, indexes, kept, dryRun } = backfill
  const { collection, codec } = context
  const own = Object.values(collection.orders).map((order) => ({
    ...order,
    attribute: codec.storedName(order.attribute),
  }))
  const orders = [...own, ...kept.rules.map(({ order }) => order)]
  let found: Entry | undefined = scanned
  let again = 0
  const gaveUp = (): never => {
    throw new LapidaryError(
      'unavailable',
      `an item of ${context.collection.name} changed ${MOST_TRIES} times while it was being filled; run it again`,
    )
  }
  return retrying<ItemOutcome>(table, { most: MOST_TRIES, gaveUp }, async () => {
    if (found === undefined) return { ...NOTHING, again }
    const read = found
    const missing = Object.entries(kept.fills).filter(([name]) => isLacking(read, name, orders))
    const filled = { ...found, ...Object.fromEntries(missing) }
    const expected = expectedKeys(context, filled, kept.rules, indexes)
    const { set, remove } = keyChanges(expected, found)
    const copies = copiesOf(context, filled)
    const changes = {
      set: { ...set, ...Object.fromEntries(missing), ...copies.set, ...removalOf(context, filled) },
      remove: [...remove, ...copies.remove],
    }
    const isRight = Object.keys(changes.set).length === 0 && changes.remove.length === 0
    const outcome = { written: !isRight, filled: missing.length > 0, again, unfit: expected.unfit }
    const others = otherEntries(backfill, filled)
    if (dryRun || (isRight && others.length === 0)) return outcome
    const { PK, SK } = found
    const condition = sourcesAsRead(backfill, found)
    const primary: TransactWriteItem = isRight
      ? { ConditionCheck: { TableName: table.tableName, Key: keyOf(found), ...condition } }
      : transactItem(table.tableName, { kind: 'update', key: { PK, SK } as EntryKey, ...changes }, condition)
    const { outcome: came } = await sendWrites(table, [primary, ...others], { ReturnConsumedCapacity: 'TOTAL' })
    if (came === 'written') return outcome
    again += 1
    found = await readAgain(table, found)
    return new Again()
  })
}

/** What a renamed attribute lacks, or has otherwise, under its other name. */
function copiesOf({ collection: { attributes = {} } }: CollectionContext, entry: Entry): KeyChanges {
  const set: Record<string, AttributeValue> = {}
  const remove: string[] = []
  for (const { name, also } of Object.values(attributes)) {
    if (also === undefined || isDeepStrictEqual(ownValue(entry, name), ownValue(entry, also))) continue
    const value = ownValue(entry, name)
    if (value === undefined) remove.push(also)
    else set[also] = value
  }
  return { set, remove }
}

/** What tells DynamoDB when to remove an item that was written before the declaration said that it expires. */
function removalOf({ collection, codec }: CollectionContext, entry: Entry): Entry {
  const { expires } = collection
  if (expires === undefined) return {}
  const wanted = expiryEntry(collection, { [expires]: entry[codec.storedName(expires)]?.S })
  return isDeepStrictEqual(wanted[TTL_ATTRIBUTE], entry[TTL_ATTRIBUTE]) ? {} : wanted
}

/** What the keys are made of, and what is filled, is as it was read. */
function sourcesAsRead({ context, kept }: ItemBackfill, found: Entry): WriteCondition {
  const { collection, layout, codec } = context
  const rules = [...(layout.keyRules ?? []), ...kept.rules]
  const names = new Set([
    ...keySources(collection, codec, found),
    ...rules.flatMap(ruleSources),
    ...Object.keys(kept.fills),
    ...(collection.expires === undefined ? [] : [codec.storedName(collection.expires)]),
    ...Object.values(collection.attributes ?? {}).flatMap(({ name, also }) => (also === undefined ? [] : [name])),
  ])
  return stillAsRead(found, names)
}

/** In a layout that gives an item several entries, the others: what of them is in the table is not known here. */
function otherEntries({ context, kept }: ItemBackfill, entry: Entry): readonly TransactWriteItem[] {
  const { collection, layout, codec, table } = context
  if (layout.entries === 'one' || layout.duplicates !== undefined) return []
  const version = entry[INTERNAL_VERSION]?.N
  const item = codec.nearestItem(entry)
  const stored = { item, found: entry, version: version === undefined ? undefined : Number(version) }
  const [, ...others] = entriesOf({ collection, layout, codec, kept }, stored)
  return others.map((Item) => ({ Put: { TableName: table.tableName, Item: { ...Item } } }))
}

async function readAgain(table: TableClient, found: Entry): Promise<Entry | undefined> {
  const { tableName: TableName } = table
  const asked = { TableName, Key: keyOf(found), ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' } as const
  return (await table.send(new GetItemCommand(asked))).Item
}

function keyOf({ PK, SK }: Entry): Record<string, AttributeValue> {
  return { PK, SK } as Record<string, AttributeValue>
}
