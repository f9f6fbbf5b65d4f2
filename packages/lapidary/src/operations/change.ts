import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { keyProblem } from '../model/key-text.ts'
import { INTERNAL_VERSION } from '../model/reserved-names.ts'
import { primaryKey, validItem } from '../model/stored-item.ts'
import { Again, retrying } from '../table/retrying.ts'
import { itemWrites, type StoredItem, type WriteCondition } from '../writes/item-writes.ts'
import { type Sent, sendWrites } from '../writes/send-writes.ts'
import { type CollectionContext, writeContext } from './context.ts'
import { getEntry, notFound } from './look-up.ts'
import type { PlannedWrites } from './planned-writes.ts'

/** What a change depends on. */
export interface ChangeOptions {
  /** Only if the item still has this version; without it, the change is made to whatever version there is. */
  readonly ifVersion?: number | undefined
}

const MAX_CONFLICTS = 8
const EXISTS: WriteCondition = { ConditionExpression: 'attribute_exists(PK)' }

/**
 * Changes some attributes of an item, as one step: concurrent changes of other attributes are kept, and so is whatever else is
 * stored with the item. An attribute that is given as undefined is removed. A change that changes nothing writes nothing.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`.
 */
export async function patchItem<I>(
  context: CollectionContext<I>,
  id: string,
  changes: Item,
  options: ChangeOptions = {},
): Promise<I> {
  return whileContended(context, id, async () => {
    const { item, before, writes } = await planPatch(context, id, changes, options)
    if (writes.length === 0) return item
    return (await sent(context, before, writes)).outcome === 'written' ? item : new Again()
  })
}

/** What a change of an item would write, and the item as it was read for that. */
interface PlannedChange<I> extends PlannedWrites<I> {
  readonly before: Item
}

/**
 * What {@link patchItem} would write, if the item is then still as it is now.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`.
 */
export async function planPatch<I>(
  context: CollectionContext<I>,
  id: string,
  changes: Item,
  { ifVersion }: ChangeOptions = {},
): Promise<PlannedChange<I>> {
  refuseKeptAttributes(context, changes)
  const writing = await writeContext(context)
  const found = await getEntry(context, id)
  const { item: stored, version } = storedItem(context, { ...writing.kept.fills, ...found })
  requireVersion(context, { version }, id, ifVersion)
  const known = await knownPart(context, stored)
  const merged = await validItem(context.collection, { ...stored, ...changes })
  if (isDeepStrictEqual(merged, known)) return { item: merged, before: stored, writes: [] }
  const changed = await validItem(context.collection, { ...(merged as Item), ...nextVersion(context, stored) })
  const before = { item: known, attributes: stored, version, found }
  const attributes = { ...untouched(stored, changes), ...rewritten(stored, known, changed as Item) }
  const after = { item: changed as Item, attributes, version: (version ?? 0) + 1 }
  const writes = itemWrites(writing, before, after, isVersion(context, version))
  return { item: changed, before: stored, writes }
}

/**
 * Deletes an item.
 *
 * @throws {LapidaryError} `not_found`, `version_conflict`.
 */
export async function deleteItem(context: CollectionContext, id: string, options: ChangeOptions = {}): Promise<void> {
  const { ifVersion } = options
  if (keyProblem(id) !== undefined) throw notFound(context, id)
  if (ifVersion === undefined && context.capabilities.entries === 'one') return deleteUnseen(context, id)
  await whileContended(context, id, async () => {
    const { before, writes } = await planDelete(context, id, options)
    return (await sent(context, before, writes)).outcome === 'written' ? undefined : new Again()
  })
}

/**
 * What {@link deleteItem} would write, if the item is then still as it is now.
 *
 * @throws {LapidaryError} `not_found`, `version_conflict`.
 */
export async function planDelete(
  context: CollectionContext,
  id: string,
  { ifVersion }: ChangeOptions = {},
): Promise<PlannedChange<undefined>> {
  const before = storedItem(context, await getEntry(context, id))
  requireVersion(context, before, id, ifVersion)
  const writes = itemWrites(await writeContext(context), before, undefined, isVersion(context, before.version))
  return { item: undefined, before: before.item, writes }
}

/** An item of one entry goes with it, whatever it holds: one request, and no read. */
async function deleteUnseen(context: CollectionContext, id: string): Promise<void> {
  const { PK, SK } = primaryKey(context.collection, id)
  const Key = { PK: { S: PK }, SK: { S: SK } }
  const TableName = context.table.tableName
  const { outcome, removed } = await sendWrites(context.table, [{ Delete: { TableName, Key, ...EXISTS } }])
  if (outcome !== 'written') throw notFound(context, id)
  if (removed !== undefined) context.statistics?.wrote(scopeOf(context, storedItem(context, removed).item))
}

async function sent(context: CollectionContext, before: Item, writes: Parameters<typeof sendWrites>[1]): Promise<Sent> {
  try {
    return await sendWrites(context.table, writes)
  } finally {
    context.statistics?.wrote(scopeOf(context, before))
  }
}

function scopeOf({ collection }: CollectionContext, item: Item): string {
  return String(item[collection.scope.attribute])
}

function refuseKeptAttributes({ collection }: CollectionContext, changes: Item): void {
  const kept = [collection.id, collection.scope.attribute, collection.version, collection.updatedAt]
  const errors = Object.keys(changes)
    .filter((attribute) => kept.includes(attribute))
    .map((path) => ({ path, message: "can't be changed" }))
  if (errors.length > 0) throw unprocessable(`the change of a ${collection.name} was refused`, errors)
}

/** What the schema makes of a stored item; all of it where the schema refuses what another program stored. */
async function knownPart({ collection }: CollectionContext, stored: Item): Promise<Item> {
  try {
    return (await validItem(collection, stored)) as Item
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'unprocessable') return stored
    throw error
  }
}

/** A list or map in which the schema sees no change stays as it is stored: with what the schema leaves out of it. */
function rewritten(stored: Item, known: Item, changed: Item): Item {
  const kept = (name: string): boolean =>
    typeof stored[name] === 'object' && isDeepStrictEqual(changed[name], known[name])
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !kept(name)))
}

/** What a schema leaves out of an item stays in the table, unless the change names it. */
function untouched(before: Item, changes: Item): Item {
  return Object.fromEntries(Object.entries(before).filter(([attribute]) => !Object.hasOwn(changes, attribute)))
}

function nextVersion({ collection, clock }: CollectionContext, before: Item): Item {
  const { version, updatedAt } = collection
  return {
    ...(version === undefined ? {} : { [version]: Number(before[version] ?? 0) + 1 }),
    ...(updatedAt === undefined ? {} : { [updatedAt]: new Date(clock()).toISOString() }),
  }
}

function storedItem(context: CollectionContext, entry: Entry): StoredItem {
  const version = entry[versionName(context)]?.N
  return { item: context.codec.toItem(entry), version: version === undefined ? undefined : Number(version) }
}

/** An item that another program stored has no version until the first change gives it one. */
function isVersion(context: CollectionContext, version: number | undefined): WriteCondition {
  const ExpressionAttributeNames = { '#v': versionName(context) }
  if (version === undefined) {
    return { ConditionExpression: 'attribute_exists(PK) AND attribute_not_exists(#v)', ExpressionAttributeNames }
  }
  return {
    ConditionExpression: '#v = :v',
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ':v': { N: String(version) } },
  }
}

function versionName({ collection, codec }: CollectionContext): string {
  return collection.version === undefined ? INTERNAL_VERSION : codec.storedName(collection.version)
}

function requireVersion(
  { collection }: CollectionContext,
  { version }: Pick<StoredItem, 'version'>,
  id: string,
  wanted: number | undefined,
): void {
  if (wanted === undefined || version === wanted) return
  throw new LapidaryError(
    'version_conflict',
    `${collection.name} ${shown(id)} is no longer at version ${wanted}; read it again and repeat the change`,
  )
}

/** Repeats a change that others came before. */
function whileContended<T>(
  { collection, table }: CollectionContext,
  id: string,
  attempt: () => Promise<T | Again>,
): Promise<T> {
  const gaveUp = (tries: number): never => {
    throw new LapidaryError(
      'unavailable',
      `${collection.name} ${shown(id)} changed ${tries} times while it was being changed; try again`,
    )
  }
  return retrying(table, { most: MAX_CONFLICTS, gaveUp }, attempt)
}
