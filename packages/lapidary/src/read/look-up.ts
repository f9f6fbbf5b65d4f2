import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { keyProblem } from '../model/key-text.ts'
import { outputItem, primaryKey } from '../model/stored-item.ts'
import { readEntries, readEntry } from '../table/read-entries.ts'
import { type AttributesOption, chosenAttributes } from './chosen-attributes.ts'
import type { ReadContext } from './context.ts'

/** The item with an id, read consistently: what was written is seen. Costs 1 RCU for each 4 KB. */
export async function getItem(
  context: ReadContext,
  id: string,
  { attributes }: AttributesOption<PropertyKey> = {},
): Promise<unknown> {
  const chosen = chosenAttributes(context, attributes, 'lookup')
  const entry = await getEntry(context, id, chosen?.stored)
  return chosen === undefined ? outputItem(context.collection, context.codec.toItem(entry)) : chosen.toItem(entry)
}

const MOST_KEYS = 100

/** Items by their ids, in the order of these, undefined where there is none; read consistently, a hundred at once. Costs as much as {@link getItem} of each. */
export async function getItems(
  context: ReadContext,
  ids: readonly string[],
  { attributes }: AttributesOption<PropertyKey> = {},
): Promise<readonly unknown[]> {
  const { collection, codec, table } = context
  const chosen = chosenAttributes(context, attributes, 'lookup')
  const keys = [...new Set(ids)].filter((id) => keyProblem(id) === undefined).map((id) => primaryKey(collection, id))
  const gaveUp = (left: number, tries: number): never => {
    throw new LapidaryError('unavailable', `DynamoDB left ${left} items unread ${tries} times in a row; try again`)
  }
  const isLive = livenessOf(collection, codec, context.clock)
  const found = new Map<string, unknown>()
  for (let i = 0; i < keys.length; i += MOST_KEYS) {
    for (const entry of await readEntries(table, keys.slice(i, i + MOST_KEYS).map(keyEntry), gaveUp, {
      names: chosen?.stored,
    })) {
      if (isLive?.(entry) === false) continue
      const item = chosen?.toItem(entry) ?? (await outputItem(collection, codec.toItem(entry)))
      found.set(entry.PK?.S ?? '', item)
    }
  }
  return ids.map((id) => (keyProblem(id) === undefined ? found.get(primaryKey(collection, id).PK) : undefined))
}

/** @throws {LapidaryError} `not_found`. */
export async function getEntry(
  context: ReadContext,
  id: string,
  names?: readonly string[] | undefined,
): Promise<Entry> {
  const { collection, table } = context
  if (keyProblem(id) !== undefined) throw notFound(context, id)
  const { PK, SK } = primaryKey(collection, id)
  const entry = await readEntry(table, { PK: { S: PK }, SK: { S: SK } }, names)
  const isLive = livenessOf(collection, context.codec, context.clock)
  if (entry === undefined || isLive?.(entry) === false) throw notFound(context, id)
  return entry
}

export function notFound({ collection }: ReadContext, id: string): LapidaryError {
  return new LapidaryError('not_found', `there is no ${collection.name} with the id ${shown(id)}`)
}
