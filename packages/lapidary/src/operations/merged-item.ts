import { isDeepStrictEqual } from 'node:util'
import type { Collection, Item } from '../model/collection.ts'
import { type InputIssue, LapidaryError, unprocessable } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import { validStored } from '../model/stored-item.ts'

/** A stored item as the schema sees it. */
export interface KnownItem {
  /** The item that keys are made from; all that is stored, where the schema refuses what another program stored. */
  readonly item: Item
  /** The schema's output for the stored item. */
  readonly seen: Item
  /** Attributes that the schema transforms anew each time: the stored value is kept, so that it is not transformed twice. */
  readonly transformed: ReadonlySet<string>
}

/**
 * Runs a stored item through the schema. A schema that brings values into a form (trims, converts) leaves its own output alone. A schema that
 * transforms its own output again is made for what callers send, so the stored value is kept.
 */
export async function knownItem(collection: Collection, stored: Item): Promise<KnownItem> {
  const seen = await accepted(collection, stored)
  if (seen === undefined) return { item: stored, seen: stored, transformed: new Set() }
  const differs = (a: Item, b: Item): string[] =>
    Object.keys(a).filter(
      (name) => ownValue(stored, name) !== undefined && !isDeepStrictEqual(a[name], ownValue(b, name)),
    )
  const changed = differs(seen, stored)
  if (changed.length === 0) return { item: seen, seen, transformed: new Set() }
  const again = await accepted(collection, seen)
  const transformed = new Set(again === undefined ? changed : differs(seen, again))
  return { item: { ...seen, ...only(stored, transformed) }, seen, transformed }
}

/**
 * Applies changes to a stored item: the schema checks the whole, and attributes that the changes do not touch stay.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
export async function mergedItem(
  collection: Collection,
  stored: Item,
  { seen, transformed }: KnownItem,
  changes: Item,
): Promise<Item> {
  const merged = (await validStored(collection, { ...stored, ...changes }).catch((error: unknown) => {
    throw isRefusal(error) ? withLacking(collection, error, { ...stored, ...changes }) : error
  })) as Item
  const kept = [...transformed].filter(
    (name) => !Object.hasOwn(changes, name) && isDeepStrictEqual(ownValue(merged, name), ownValue(seen, name)),
  )
  // An attribute that a change removes is absent, not undefined.
  const present = Object.entries(merged).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(present), ...only(stored, new Set(kept)) }
}

async function accepted(collection: Collection, item: Item): Promise<Item | undefined> {
  try {
    return (await validStored(collection, item)) as Item
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

function isRefusal(error: unknown): error is LapidaryError {
  return error instanceof LapidaryError && error.code === 'unprocessable'
}

/** Says of each refused attribute that the stored item lacks it: the schema names what the caller did not send. */
function withLacking({ name, facets }: Collection, { details }: LapidaryError, item: Item): LapidaryError {
  const errors = (details as { readonly errors: readonly InputIssue[] }).errors.map(({ path, message }) => {
    if (path === '' || Object.hasOwn(item, path) || path.includes('.')) return { path, message }
    const fill = Object.hasOwn(facets, path)
      ? `, or fill it in all items that lack it (lapidary backfill --fill ${path}=…)`
      : ''
    return { path, message: `${message}; the stored item has none: give one with the change${fill}` }
  })
  return unprocessable(`the ${name} was refused`, errors)
}

function only(item: Item, names: ReadonlySet<string>): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)))
}
