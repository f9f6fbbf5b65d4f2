import { isDeepStrictEqual } from 'node:util'
import type { Collection, Item } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import { ownValue } from '../model/own-value.ts'
import { validStored } from '../model/stored-item.ts'

/** A stored item as the schema sees it. */
export interface KnownItem {
  /** What its keys are made of; all that is stored where the schema refuses what another program stored. */
  readonly item: Item
  /** What the schema made of it. */
  readonly seen: Item
  /** Attributes that the schema makes something else of each time: what is stored stays, lest it be transformed twice. */
  readonly transformed: ReadonlySet<string>
}

/**
 * What the schema makes of a stored item. A schema that brings values into a form (trims, converts) leaves alone what it made itself;
 * one that makes something else of that again is for what callers send, and what is stored is not run through it.
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
 * What becomes of a stored item by changes: the whole is run through the schema, and what the changes do not touch stays.
 *
 * @throws {LapidaryError} `unprocessable`.
 */
export async function mergedItem(
  collection: Collection,
  stored: Item,
  { seen, transformed }: KnownItem,
  changes: Item,
): Promise<Item> {
  const merged = (await validStored(collection, { ...stored, ...changes })) as Item
  const kept = [...transformed].filter(
    (name) => !Object.hasOwn(changes, name) && isDeepStrictEqual(ownValue(merged, name), ownValue(seen, name)),
  )
  // An attribute that a change takes away is not there, rather than there as undefined.
  const present = Object.entries(merged).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(present), ...only(stored, new Set(kept)) }
}

async function accepted(collection: Collection, item: Item): Promise<Item | undefined> {
  try {
    return (await validStored(collection, item)) as Item
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'unprocessable') return undefined
    throw error
  }
}

function only(item: Item, names: ReadonlySet<string>): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)))
}
