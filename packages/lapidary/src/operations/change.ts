import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Collection, Item } from '../model/collection.ts'
import { canonicalText } from '../model/entry.ts'
import { unprocessable } from '../model/errors.ts'
import { isIncrement } from '../model/increment.ts'
import { nextBeside, nextInternal } from '../model/internal-version.ts'
import { keptValue } from '../model/kept-value.ts'
import { keyProblem } from '../model/key-text.ts'
import { ownValue } from '../model/own-value.ts'
import { primaryKey } from '../model/stored-item.ts'
import { attributeValue } from '../model/written-entry.ts'
import { getEntry, notFound } from '../read/look-up.ts'
import { itemWrites, type StoredItem, type WriteCondition } from '../writes/item-writes.ts'
import { sendWrites } from '../writes/send-writes.ts'
import { addBlindly } from './add-blindly.ts'
import { changedValues } from './changed-values.ts'
import { type CollectionContext, writeContext } from './context.ts'
import { makeChange, type PlannedChange } from './make-change.ts'
import { knownItem, mergedItem } from './merged-item.ts'
import {
  type ChangeOptions,
  declaredVersion,
  type FoundItem,
  isAsRead,
  type PatchOptions,
  requireChangeOptions,
  requireHolds,
  requirePatchOptions,
  storedItem,
  withNextVersion,
} from './preconditions.ts'

const EXISTS: WriteCondition = { ConditionExpression: 'attribute_exists(PK)' }

/**
 * Changes some attributes of an item, as one step: concurrent changes of other attributes are kept, and so is whatever else is
 * stored with the item. An attribute that is given as undefined is removed. Another scope moves the item to it. A change that changes
 * nothing writes nothing.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
 */
export async function patchItem<I>(
  context: CollectionContext<I>,
  id: string,
  changes: Item,
  options: PatchOptions = {},
): Promise<I> {
  requirePatchOptions(options)
  const added = await addBlindly(context, id, changes, options)
  if (added !== undefined) return added
  const once = Object.values(changes).some(isIncrement)
  return makeChange(context, id, () => planPatch(context, id, changes, options), { once })
}

/**
 * Plans the writes of {@link patchItem}, on the condition that the item is still as it is read here.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
 */
export async function planPatch<I>(
  context: CollectionContext<I>,
  id: string,
  given: Item,
  options: PatchOptions = {},
): Promise<PlannedChange<I>> {
  const { collection } = context
  requirePatchOptions(options)
  refuseKeptAttributes(collection, given)
  const writing = await writeContext(context)
  const before = storedItem(context, await getEntry(context, id), writing.kept.fills)
  await requireHolds(context, id, before, options)
  const { item: stored } = before
  const { changes, stays, isBeyond } = changedValues(context, before, given)
  const known = await knownItem(collection, stored)
  const isBeside = keepsVersion(collection, stored, options)
  const counted = isBeside ? {} : keptOf(context, before)
  const item = await mergedItem(collection, stored, known, { ...changes, ...counted })
  if (!isBeyond && isUnchanged(context, before, item, known.item)) {
    return { id, item: asKept(collection, item, stored) as I, previous: stored, writes: [] }
  }
  await context.hooks?.beforeWrite?.({ id, item, previous: stored })
  const next = isBeside ? nextBeside : nextInternal
  const attributes = { ...untouched(stored, changes), ...rewritten(stored, known.item, item) }
  const writes = itemWrites(
    writing,
    { ...before, item: known.item, attributes: stored },
    { item, attributes, stays, version: next(before.version, declaredVersion(collection, item)) },
    isAsRead(context, before, options),
  )
  return { id, item: item as I, previous: stored, writes }
}

/** Tells whether a patch leaves the declared version alone; an item that has none yet gets its first with any change. */
function keepsVersion(collection: Collection, stored: Item, { keepVersion = false }: PatchOptions): boolean {
  return keepVersion && (collection.version === undefined || declaredVersion(collection, stored) !== undefined)
}

/**
 * Deletes an item.
 *
 * @throws {LapidaryError} `not_found`, `version_conflict`, `condition_failed`.
 */
export async function deleteItem(context: CollectionContext, id: string, options: ChangeOptions = {}): Promise<void> {
  requireChangeOptions(options)
  if (keyProblem(id) !== undefined) throw notFound(context, id)
  const isFree =
    options.ifVersion === undefined &&
    options.if === undefined &&
    context.hooks === undefined &&
    context.collection.expires === undefined
  if (isFree && (await writeContext(context)).layout.entries === 'one') return deleteUnseen(context, id)
  await makeChange(context, id, () => planDelete(context, id, options))
}

/**
 * Plans the writes of {@link deleteItem}, on the condition that the item is still as it is read here.
 *
 * @param isAsked Tells whether the item that was read is to go; nothing is written where it is not.
 * @throws {LapidaryError} `not_found`, `version_conflict`, `condition_failed`.
 */
export async function planDelete(
  context: CollectionContext,
  id: string,
  options: ChangeOptions = {},
  isAsked: (item: Item) => boolean = () => true,
): Promise<PlannedChange<undefined>> {
  requireChangeOptions(options)
  const before = storedItem(context, await getEntry(context, id))
  await requireHolds(context, id, before, options)
  if (!isAsked(before.item)) return { id, item: undefined, previous: before.item, writes: [] }
  await context.hooks?.beforeWrite?.({ id, item: undefined, previous: before.item })
  const writes = itemWrites(
    await writeContext(context),
    { item: before.item, version: before.version, stays: before.found },
    undefined,
    isAsRead(context, before, options),
  )
  return { id, item: undefined, previous: before.item, writes }
}

/** Deletes an item that has one entry, whatever it holds: one request, and no read. */
async function deleteUnseen(context: CollectionContext, id: string): Promise<void> {
  const { collection, codec, table, statistics } = context
  const { PK, SK } = primaryKey(collection, id)
  const Key = { PK: { S: PK }, SK: { S: SK } }
  const { outcome, lost, removed } = await sendWrites(table, [
    { Delete: { TableName: table.tableName, Key, ...EXISTS } },
  ])
  // The item is gone, and an earlier try that got no answer may have deleted it.
  if (outcome !== 'written' && lost !== true) throw notFound(context, id)
  // The item is gone, whatever of it can be read.
  if (removed !== undefined) statistics?.wrote(String(codec.plainItem(removed)[collection.scope.attribute]))
}

function refuseKeptAttributes({ name, id, version, updatedAt }: Collection, changes: Item): void {
  const kept = [id, version, updatedAt]
  const errors = Object.keys(changes)
    .filter((attribute) => kept.includes(attribute))
    .map((path) => ({ path, message: "can't be changed" }))
  if (errors.length > 0) throw unprocessable(`the change of a ${name} was refused`, errors)
}

/** Keeps a list or map as it is stored where the schema sees no change in it: it may hold parts that the schema leaves out. */
function rewritten(stored: Item, known: Item, changed: Item): Item {
  const kept = (name: string): boolean =>
    typeof ownValue(stored, name) === 'object' && isDeepStrictEqual(changed[name], ownValue(known, name))
  return Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, kept(name) ? stored[name] : value]))
}

/** Returns the attributes that the change does not name: those that a schema leaves out of an item stay in the table. */
function untouched(before: Item, changes: Item): Item {
  return Object.fromEntries(Object.entries(before).filter(([attribute]) => !Object.hasOwn(changes, attribute)))
}

/** Returns the attributes that the library keeps of an item that changes: version and time. */
export function keptOf({ collection, clock }: CollectionContext, before: StoredItem): Item {
  const { updatedAt } = collection
  return {
    ...withNextVersion(collection, before),
    ...(updatedAt === undefined ? {} : { [updatedAt]: new Date(clock()).toISOString() }),
  }
}

/** Tells whether DynamoDB holds two states of an item alike, apart from the attributes that the library keeps. */
export function isUnchanged(context: CollectionContext, { found }: FoundItem, a: Item, b: Item): boolean {
  const { collection, codec } = context
  // A map, since an attribute may have the name of an inherited member, such as `constructor`.
  const first = new Map(Object.entries(own(collection, a)))
  const second = new Map(Object.entries(own(collection, b)))
  const names = new Set([...first.keys(), ...second.keys()])
  const stored = new Map(Object.entries(found))
  return [...names].every((name) => {
    const kind = ownValue(collection.numbers, name)
    const before = stored.get(codec.storedName(name))
    return isStoredAlike(first.get(name), second.get(name), (value) =>
      attributeValue(name, keptValue(value, before, kind), kind),
    )
  })
}

/** Tells whether DynamoDB holds two values of an attribute alike, as it does 0 and -0. Undefined stands for an absent value. */
function isStoredAlike(a: unknown, b: unknown, storedAs: (value: unknown) => AttributeValue): boolean {
  if (isDeepStrictEqual(a, b)) return true
  if (a === undefined || b === undefined) return false
  return canonicalText(storedAs(a)) === canonicalText(storedAs(b))
}

/** Returns an item with version and time as they are stored. */
export function asKept(collection: Collection, item: Item, stored: Item): Item {
  const { version, updatedAt } = collection
  const names = [version, updatedAt].filter((name) => name !== undefined && Object.hasOwn(stored, name)) as string[]
  return { ...own(collection, item), ...Object.fromEntries(names.map((name) => [name, stored[name]])) }
}

function own({ version, updatedAt }: Collection, item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== version && name !== updatedAt))
}
