import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { INTERNAL_VERSION, isReservedName, PACKED_NAMES } from '../model/reserved-names.ts'
import { asRead } from '../writes/as-read.ts'
import type { StoredItem, WriteCondition } from '../writes/item-writes.ts'
import type { CollectionContext } from './context.ts'

/** What a change depends on. */
export interface ChangeOptions<I = Item> {
  /** Only if the item still has this version; without it, the change is made to whatever version there is. */
  readonly ifVersion?: number | undefined
  /**
   * Only if these attributes have these values in the same moment; undefined = the attribute is absent, null = it is there and null.
   */
  readonly if?: { readonly [K in keyof I]?: I[K] | undefined } | undefined
}

/** An item whose version counts its changes, as it was read. */
export interface FoundItem extends StoredItem {
  readonly found: Entry
}

/** An item of the entry that was read of it. */
export function storedItem(context: CollectionContext, found: Entry, fills: Entry = {}): FoundItem {
  const version = found[versionName(context)]?.N
  return {
    item: context.codec.toItem({ ...fills, ...found }),
    version: version === undefined ? undefined : Number(version),
    found,
  }
}

/**
 * Whether a change may be made to the item as it was read.
 *
 * @throws {LapidaryError} `version_conflict`, `condition_failed`.
 */
export function requireHolds(
  context: CollectionContext,
  id: string,
  { item, version }: StoredItem,
  { ifVersion, if: wanted = {} }: ChangeOptions,
): void {
  const { name } = context.collection
  if (ifVersion !== undefined && version !== ifVersion) {
    throw new LapidaryError(
      'version_conflict',
      `${name} ${shown(id)} is no longer at version ${ifVersion}; read it again and repeat the change`,
    )
  }
  const failed = Object.entries(wanted).filter(
    ([attribute, value]) => !isDeepStrictEqual(own(item, attribute), asStored(context, attribute, value)),
  )
  if (failed.length === 0) return
  const errors = failed.map(([path, value]) => ({
    path,
    message: `is ${valueText(own(item, path))}, not ${valueText(value)}`,
  }))
  throw new LapidaryError(
    'condition_failed',
    `${name} ${shown(id)} is not as the condition wants it, so nothing was changed: ${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { details: { errors, found: Object.fromEntries(failed.map(([path]) => [path, own(item, path)])) } },
  )
}

/** The value as it would be read, had it been stored. */
function asStored({ collection, codec }: CollectionContext, attribute: string, value: unknown): unknown {
  const { attributes } = collection
  if (attributes === undefined ? isReservedName(attribute) : !Object.hasOwn(attributes, attribute)) {
    throw unprocessable('the condition was refused', [{ path: attribute, message: 'is no attribute of the item' }])
  }
  return own(codec.toItem(codec.toEntry({ [attribute]: value })), attribute)
}

/** Attributes may be named as members of every object are: `constructor`. */
function own(item: Item, attribute: string): unknown {
  return Object.hasOwn(item, attribute) ? item[attribute] : undefined
}

function valueText(value: unknown): string {
  if (value === undefined) return 'absent'
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : shown(value)
}

/**
 * That the item is as it was read: by its version, and by the attributes that the change depends on, since other programs may write
 * without counting versions. An item that another program stored has no version until the first change gives it one.
 */
export function isAsRead(
  context: CollectionContext,
  { found }: FoundItem,
  { if: wanted = {} }: ChangeOptions,
): WriteCondition {
  const names = Object.keys(wanted).map((attribute) => context.codec.storedName(attribute))
  const packed = names.length === 0 ? [] : PACKED_NAMES.filter((name) => found[name] !== undefined)
  return asRead(found, [versionName(context), ...names, ...packed])
}

/** The stored name of the attribute that counts versions. */
export function versionName({ collection, codec }: CollectionContext): string {
  return collection.version === undefined ? INTERNAL_VERSION : codec.storedName(collection.version)
}
