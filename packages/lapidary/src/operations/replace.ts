import type { Item } from '../model/collection.ts'
import { LapidaryError, unprocessable } from '../model/errors.ts'
import { nextInternal } from '../model/internal-version.ts'
import { keyProblem } from '../model/key-text.ts'
import { ownValue } from '../model/own-value.ts'
import { validItem } from '../model/stored-item.ts'
import { getEntry } from '../read/look-up.ts'
import { itemWrites } from '../writes/item-writes.ts'
import { asKept, isUnchanged, keptOf } from './change.ts'
import { unreadableNames, withoutAttributes } from './changed-values.ts'
import { type CollectionContext, writeContext } from './context.ts'
import { planCreate } from './create.ts'
import { makeChange, type PlannedChange } from './make-change.ts'
import { knownItem } from './merged-item.ts'
import {
  type ChangeOptions,
  declaredVersion,
  isAsRead,
  requireChangeOptions,
  requireHolds,
  storedItem,
} from './preconditions.ts'

/**
 * Replaces the item with this id: attributes that the new one lacks are removed, and attributes that the declaration does not know stay. The
 * version counts on; a time by which lists are ordered stays where none is given. The same item again writes nothing.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
 */
export async function replaceItem<I>(
  context: CollectionContext<I>,
  input: Item,
  options: ChangeOptions = {},
): Promise<I> {
  return makeChange(context, checkedId(context, input), () => planReplace(context, input, options))
}

/**
 * Plans the writes of {@link replaceItem}, on the condition that the item is still as it is read here.
 *
 * @throws {LapidaryError} `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
 */
export async function planReplace<I>(
  context: CollectionContext<I>,
  input: Item,
  options: ChangeOptions = {},
): Promise<PlannedChange<I>> {
  const { collection } = context
  requireChangeOptions(options)
  const id = checkedId(context, input)
  const writing = await writeContext(context)
  const before = storedItem(context, await getEntry(context, id), writing.kept.fills)
  await requireHolds(context, id, before, options)
  const { item: stored } = before
  const { order } = collection
  const item = await validItem(collection, {
    ...input,
    ...(order.type === 'time'
      ? { [order.attribute]: ownValue(input, order.attribute) ?? ownValue(stored, order.attribute) }
      : {}),
    ...keptOf(context, before),
  })
  const unread = unreadableNames(context, before)
  if (unread.length === 0 && isUnchanged(context, before, item as Item, stored)) {
    return { id, item: asKept(collection, item as Item, stored) as I, previous: stored, writes: [] }
  }
  await context.hooks?.beforeWrite?.({ id, item, previous: stored })
  const known = await knownItem(collection, stored)
  const writes = itemWrites(
    writing,
    { ...before, item: known.item, attributes: stored },
    {
      item: item as Item,
      stays: withoutAttributes(before.found, unread),
      version: nextInternal(before.version, declaredVersion(collection, item as Item)),
    },
    isAsRead(context, before, options),
  )
  return { id, item, previous: stored, writes }
}

/**
 * Replaces the item with this id, or stores a new one where there is none.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
export async function upsertItem<I>(context: CollectionContext<I>, input: Item): Promise<I> {
  return makeChange(context, checkedId(context, input), () => planUpsert(context, input))
}

/**
 * Plans the writes of {@link upsertItem}, on the condition that the item is still as it is read here.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
export async function planUpsert<I>(context: CollectionContext<I>, input: Item): Promise<PlannedChange<I>> {
  try {
    return await planReplace(context, input)
  } catch (error) {
    if (!(error instanceof LapidaryError) || error.code !== 'not_found') throw error
    return { ...(await planCreate(context, input)), id: checkedId(context, input), previous: undefined }
  }
}

function checkedId({ collection }: CollectionContext, input: Item): string {
  const id = ownValue(input, collection.id)
  const problem = keyProblem(id)
  if (problem === undefined) return id as string
  throw unprocessable(`the ${collection.name} was refused`, [
    { path: collection.id, message: `${problem}; it becomes a key` },
  ])
}
