import { isDeepStrictEqual } from 'node:util'
import type { Entry } from '../model/entry.ts'
import { ownValue } from '../model/own-value.ts'

/** The primary key of an entry in the table. */
export type EntryKey = Readonly<Pick<Entry, 'PK' | 'SK'>>

/** A write of one entry. */
export type EntryWrite =
  | { readonly kind: 'put'; readonly key: EntryKey; readonly entry: Entry }
  | { readonly kind: 'update'; readonly key: EntryKey; readonly set: Entry; readonly remove: readonly string[] }
  | { readonly kind: 'delete'; readonly key: EntryKey }

/**
 * Returns the writes that bring an item's entries from `before` to `after`. An entry that stays is changed only in the attributes that differ,
 * so what other programs and newer versions store beside them is kept.
 *
 * @param before Entries as a layout makes them, primary first; none for a new item, or where the old item is replaced.
 * @param after Empty for an item that is deleted.
 */
export function entryWrites(before: readonly Entry[], after: readonly Entry[]): readonly EntryWrite[] {
  const former = new Map(before.map((entry) => [entryKeyText(entry), entry]))
  const writes = after.flatMap((entry): readonly EntryWrite[] => {
    const text = entryKeyText(entry)
    const known = former.get(text)
    former.delete(text)
    return known === undefined ? [{ kind: 'put', key: entryKeyOf(entry), entry }] : changed(known, entry)
  })
  return [...writes, ...[...former.values()].map((entry): EntryWrite => ({ kind: 'delete', key: entryKeyOf(entry) }))]
}

function changed(before: Entry, after: Entry): readonly EntryWrite[] {
  const set = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(ownValue(before, name), value))
  const remove = Object.keys(before).filter((name) => ownValue(after, name) === undefined)
  if (set.length === 0 && remove.length === 0) return []
  return [{ kind: 'update', key: entryKeyOf(after), set: Object.fromEntries(set), remove }]
}

function entryKeyOf({ PK, SK }: Entry): EntryKey {
  return { PK, SK } as EntryKey
}

function entryKeyText({ PK, SK }: Entry): string {
  return JSON.stringify([PK, SK])
}
