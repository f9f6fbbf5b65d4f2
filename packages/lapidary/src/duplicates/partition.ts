import { canonicalText, type Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { PRIMARY_SORT_KEY } from '../model/stored-item.ts'
import type { Keyed } from '../schema/expected-keys.ts'
import { itemsOfPages, queryPages, wholePartition } from '../table/paging.ts'
import type { TableClient } from '../table/table-client.ts'

/** A collection whose layout has duplicates, and its table. */
export interface DuplicatesContext extends Keyed {
  readonly table: TableClient
}

/** One duplicate that differs from what it should be. */
export interface DifferingDuplicate {
  readonly sortKey: string
  /** The expected entry; undefined for a dangling one, which should not be there. */
  readonly wanted: Entry | undefined
  /** The stored entry; undefined for a missing one. */
  readonly found: Entry | undefined
}

/** The contents of an item's partition. */
export interface ItemPartition {
  /** The item itself; undefined where it is gone. */
  readonly primary: Entry | undefined
  readonly differing: readonly DifferingDuplicate[]
}

/** Reads an item with its duplicates, consistently: 1 RCU for each 4 KB of all of them. */
export async function readPartition(context: DuplicatesContext, partition: string): Promise<ItemPartition> {
  const pages = queryPages(context.table, { ...wholePartition(partition), ConsistentRead: true })
  const entries = await itemsOfPages(pages)
  const primary = entries.find(({ SK }) => SK?.S === PRIMARY_SORT_KEY)
  const wanted = primary === undefined ? [] : duplicatesOf(context, primary)
  const left = new Map(wanted.map((entry) => [entry.SK?.S ?? '', entry]))
  const differing: DifferingDuplicate[] = []
  for (const found of entries.filter((entry) => isDuplicate(context, entry))) {
    const sortKey = found.SK?.S ?? ''
    const should = left.get(sortKey)
    left.delete(sortKey)
    if (should === undefined || entryText(should) !== entryText(found))
      differing.push({ sortKey, wanted: should, found })
  }
  for (const [sortKey, should] of left) differing.push({ sortKey, wanted: should, found: undefined })
  return { primary, differing }
}

/** Tells whether an entry of the table is a duplicate of some item of the collection. */
export function isDuplicate({ collection, layout }: Keyed, { PK, SK }: Entry): boolean {
  return layout.duplicates?.owns(SK?.S ?? '') === true && PK?.S?.startsWith(`${collection.name}#`) === true
}

/** Returns the duplicates that an item should have, by its primary entry. An item that fits in no list has none. */
export function duplicatesOf({ layout, codec }: Keyed, primary: Entry): readonly Entry[] {
  try {
    const entries = layout.entriesOf(codec.plainItem(primary), primary)
    return entries.slice(1).filter(({ PK }) => PK?.S === primary.PK?.S)
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'unprocessable') return []
    throw error
  }
}

/** Writes an entry as one text, by which two entries are compared. */
export function entryText(entry: Entry): string {
  return canonicalText({ M: entry as NonNullable<Entry[string]['M']> })
}
