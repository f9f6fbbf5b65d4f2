import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { guardedWrite, keyEntry, REVISION } from '../../../derived/guarded-write.ts'
import type { TargetKey } from '../../../derived/target-key.ts'
import type { Entry } from '../../../model/entry.ts'
import { readEntry } from '../../../table/read-entries.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { LEAVES, type Names, type Row, type StoredNode, TOP } from '../../tree/node.ts'
import type { NamesWrite, NodeWrite } from '../../tree/node-store.ts'

/** Names and the top row are read together: both begin with it. */
export const UPPER_PREFIX = 'S'
const TOP_PREFIX = `${UPPER_PREFIX}#`
/** What sorts after all keys of a row, whose prefix ends in `#`. */
const AFTER_MARK = '$'

/** The bytes of a node. No item's attribute has the name: where keys of indexes are items' own attributes, an entry may have none of another type. */
const BYTES = '~b'
const NAMES = 'cells'
const FULL = '~f'

export function treePartition(namespace: string, generation: number, group: string): string {
  return `${treesPrefix(namespace)}${generation}#${group}`
}

/** Begins the partitions of all trees of a namespace. */
export function treesPrefix(namespace: string): string {
  return `~pages#${namespace}#`
}

/** Begins the sort keys of a row. */
export function rowPrefix(row: Row): string {
  if (row === TOP) return TOP_PREFIX
  return row === LEAVES ? 'L#' : `N${row}#`
}

/** Sorts after the sort keys of a row. */
export function rowEnd(row: Row): string {
  return `${rowPrefix(row).slice(0, -1)}${AFTER_MARK}`
}

export const UPPER_END: string = `${UPPER_PREFIX}${AFTER_MARK}`

export function namesKey(partition: string): TargetKey {
  return { PK: partition, SK: UPPER_PREFIX }
}

/** The key of an item that tells of a generation that it has a tree which was given up. */
export function fullKey(namespace: string, generation: number): TargetKey {
  return { PK: treePartition(namespace, generation, ''), SK: '~full' }
}

export function isNames({ SK }: Entry): boolean {
  return SK?.S === UPPER_PREFIX
}

export function storedNode(row: Row, entry: Entry): StoredNode {
  const fence = (entry.SK?.S ?? '').slice(rowPrefix(row).length)
  return { fence, bytes: entry[BYTES]?.B ?? new Uint8Array(), revision: entry[REVISION]?.S }
}

export function nodeWrite(
  { tableName }: TableClient,
  partition: string,
  { row, fence, before, bytes }: NodeWrite,
): TransactWriteItem {
  const key = { PK: partition, SK: `${rowPrefix(row)}${fence}` }
  return guardedWrite(tableName, key, revisionEntry(before), bytes && { [BYTES]: { B: bytes } })
}

export function namesEntry(cells: readonly string[]): Entry {
  return { [NAMES]: { L: cells.map((S) => ({ S })) } }
}

/** Stands in place of names that are too many. */
export function fullEntry(why: string): Entry {
  return { [FULL]: { S: why } }
}

export function namesFrom(entry: Entry | undefined): Names {
  return {
    cells: (entry?.[NAMES]?.L ?? []).map(({ S = '' }) => S),
    full: entry?.[FULL]?.S,
    stored: entry && { revision: entry[REVISION]?.S },
  }
}

export async function readNames(table: TableClient, partition: string): Promise<Names> {
  return namesFrom(await readEntry(table, keyEntry(namesKey(partition))))
}

export function namesWrite({ tableName }: TableClient, partition: string, names: NamesWrite): TransactWriteItem {
  const after = names.full === undefined ? namesEntry(names.cells) : fullEntry(names.full)
  return guardedWrite(tableName, namesKey(partition), revisionEntry(names.before.stored), after)
}

/** A guard needs of a stored item its revision alone. */
function revisionEntry(stored: Pick<StoredNode, 'revision'> | undefined): Entry | undefined {
  if (stored === undefined) return undefined
  return stored.revision === undefined ? {} : { [REVISION]: { S: stored.revision } }
}
