import { isDeepStrictEqual } from 'node:util'
import type { Collection, Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { nextDeclared, nextInternal, uncountedChanges } from '../model/internal-version.ts'
import { keySources } from '../model/key-sources.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { ownValue } from '../model/own-value.ts'
import { INTERNAL_VERSION, isReservedName, PACKED_NAMES } from '../model/reserved-names.ts'
import { stillAsRead } from '../writes/as-read.ts'
import { itemWrites, type StoredItem, type WriteCondition } from '../writes/item-writes.ts'
import { sendWrites } from '../writes/send-writes.ts'
import { type CollectionContext, writeContext } from './context.ts'

/** Conditions of a change. */
export interface ChangeOptions<I = Item> {
  /** Change the item only if it still has this version; without it, whatever its version. */
  readonly ifVersion?: number | undefined
  /**
   * Change the item only if these attributes have these values in the same moment; undefined = the attribute is absent, null = it is there and
   * null.
   */
  readonly if?: { readonly [K in keyof I]?: I[K] | undefined } | undefined
}

/** Conditions of a patch, and what it leaves as it is. */
export interface PatchOptions<I = Item> extends ChangeOptions<I> {
  /**
   * Whether the declared version and the time of the last change stay as they are: for what others do beside the item, such as votes, so that a
   * caller who has read the item before can still change it by its version. False when not given. Concurrent changes lose nothing either way.
   */
  readonly keepVersion?: boolean | undefined
}

const CHANGE_NAMES: OptionNames<ChangeOptions> = { ifVersion: true, if: true }
const PATCH_NAMES: OptionNames<PatchOptions> = { ...CHANGE_NAMES, keepVersion: true }

/** @throws {LapidaryError} `unprocessable` for an option that no change has. */
export function requireChangeOptions(options: ChangeOptions): void {
  knownOptions('the change', options, CHANGE_NAMES)
}

/** @throws {LapidaryError} `unprocessable` for an option that no patch has. */
export function requirePatchOptions(options: PatchOptions): void {
  knownOptions('the change', options, PATCH_NAMES)
}

/** An item as it was read, whose version counts its changes. */
export interface FoundItem extends StoredItem {
  readonly found: Entry
}

/** Makes the item of an entry that was read, with the nearest number where one can't be read: a change leaves alone what it does not name. */
export function storedItem(context: CollectionContext, found: Entry, fills: Entry = {}): FoundItem {
  const version = found[INTERNAL_VERSION]?.N
  return {
    item: context.codec.nearestItem({ ...fills, ...found }),
    version: version === undefined ? undefined : Number(version),
    found,
  }
}

/**
 * Checks that a change may be made to the item as it was read.
 *
 * @throws {LapidaryError} `version_conflict`, `condition_failed`.
 */
export async function requireHolds(
  context: CollectionContext,
  id: string,
  before: FoundItem,
  { ifVersion, if: wanted = {} }: ChangeOptions,
): Promise<void> {
  const { collection } = context
  const { name } = collection
  const { item } = before
  const version = collection.version === undefined ? before.version : declaredVersion(collection, item)
  if (ifVersion !== undefined && (version !== ifVersion || (await countsUncounted(context, before)))) {
    throw new LapidaryError(
      'version_conflict',
      `${name} ${shown(id)} is no longer at version ${ifVersion}; read it again and repeat the change`,
    )
  }
  const failed = Object.entries(wanted).filter(
    ([attribute, value]) => !isDeepStrictEqual(ownValue(item, attribute), asStored(context, attribute, value)),
  )
  if (failed.length === 0) return
  const errors = failed.map(([path, value]) => ({
    path,
    message: `is ${foundValueText(ownValue(item, path))}, not ${foundValueText(value)}`,
  }))
  throw new LapidaryError(
    'condition_failed',
    `${name} ${shown(id)} does not meet the condition, so nothing was changed: ${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { details: { errors, found: Object.fromEntries(failed.map(([path]) => [path, ownValue(item, path)])) } },
  )
}

/**
 * Counts into the declared version the changes of processes that do not know it: a caller that names the version may have read the item before
 * them.
 *
 * @returns Whether there were such changes.
 */
async function countsUncounted(context: CollectionContext, before: FoundItem): Promise<boolean> {
  const { collection, table } = context
  if (uncountedChanges(before.version, declaredVersion(collection, before.item)) === 0) return false
  const item = { ...before.item, ...withNextVersion(collection, before) }
  const version = nextInternal(before.version, declaredVersion(collection, item))
  const after = { item, version, stays: before.found }
  // Refused where another process came between: the next caller that names a version then comes here, or finds it counted.
  await sendWrites(table, itemWrites(await writeContext(context), before, after, isAsRead(context, before, {})))
  return true
}

/** Returns the declared version of an item's next change, as an attribute. */
export function withNextVersion(collection: Collection, { item, version }: StoredItem): Item {
  if (collection.version === undefined) return {}
  return { [collection.version]: nextDeclared(version, declaredVersion(collection, item)) }
}

/** Returns the version of an item that its declaration names; undefined where it names none, or the item lacks it. */
export function declaredVersion({ version }: Collection, item: Item): unknown {
  return version === undefined ? undefined : ownValue(item, version)
}

/** Returns the value as it would be read after it was stored. */
function asStored({ collection, codec }: CollectionContext, attribute: string, value: unknown): unknown {
  const { attributes } = collection
  if (attributes === undefined ? isReservedName(attribute) : !Object.hasOwn(attributes, attribute)) {
    throw unprocessable('the condition was refused', [{ path: attribute, message: 'is no attribute of the item' }])
  }
  return ownValue(codec.toItem(codec.toEntry({ [attribute]: value })), attribute)
}

function foundValueText(value: unknown): string {
  if (value === undefined) return 'absent'
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : shown(value)
}

/**
 * Makes the condition that the item is as it was read: by its versions, the internal and the declared one, and by the attributes that the change
 * and the item's keys depend on. Other programs may write without counting versions, and an item that was deleted and created again starts with
 * the same versions.
 */
export function isAsRead(
  context: CollectionContext,
  { found }: FoundItem,
  { if: wanted = {} }: ChangeOptions,
): WriteCondition {
  const { collection, codec } = context
  const names = Object.keys(wanted).map(codec.storedName)
  const sources = keySources(collection, codec, found)
  const packed = names.length === 0 ? [] : PACKED_NAMES.filter((name) => found[name] !== undefined)
  const declared = collection.version === undefined ? [] : [codec.storedName(collection.version)]
  return stillAsRead(found, [INTERNAL_VERSION, ...declared, ...sources, ...names, ...packed])
}
