import type { IndexDefinition } from '../layouts/layout.ts'
import { type Entry, entryBytes } from '../model/entry.ts'
import { type EntryWrite, entryWrites } from '../writes/entry-writes.ts'

/** Write units that one partition is charged with. */
export interface PartitionUnits {
  /** The index; undefined for the table itself. */
  readonly index: string | undefined
  /** Value of the partition key. */
  readonly partition: string
  readonly units: number
}

/** Several entries are written in one transaction, which doubles its units (AWS Developer Guide). */
const TRANSACTION = 2
const UNIT_BYTES = 1024

/**
 * What it takes to bring an item's entries from before to after, by DynamoDB's rule: a unit for each KB begun of the larger image of an entry,
 * and in each index 1 for an entry that is put, removed or changed in what the index holds, 2 for one whose key changes, 0 for one
 * that stays (AWS Developer Guide, "Provisioned throughput considerations for global secondary indexes").
 *
 * @param before None for a new item.
 * @param after None for an item that is deleted.
 */
export function writeUnits(
  before: readonly Entry[],
  after: readonly Entry[],
  indexes: readonly IndexDefinition[],
): readonly PartitionUnits[] {
  const writes = entryWrites(before, after)
  const factor = writes.length > 1 ? TRANSACTION : 1
  return writes.flatMap(({ key }) => {
    const [old, made] = [before, after].map((entries) => entries.find((entry) => isAt(entry, key)))
    const ofTable = { index: undefined, partition: key.PK?.S ?? '', units: Math.max(units(old), units(made)) }
    const ofIndexes = indexes.flatMap((index) => indexUnits(index, old, made))
    return [ofTable, ...ofIndexes].map((charged) => ({ ...charged, units: factor * charged.units }))
  })
}

function indexUnits(
  index: IndexDefinition,
  old: Entry | undefined,
  made: Entry | undefined,
): readonly PartitionUnits[] {
  const [from, to] = [projected(old, index), projected(made, index)]
  const { name, partitionKey, sortKey } = index
  const charged = (entry: Entry, weight: number): PartitionUnits => ({
    ...{ index: name, partition: entry[partitionKey]?.S ?? '', units: weight },
  })
  if (from === undefined) return to === undefined ? [] : [charged(to, units(to))]
  if (to === undefined) return [charged(from, units(from))]
  const moved = [partitionKey, sortKey].some((key) => text(from[key]) !== text(to[key]))
  if (moved) return [charged(from, units(from)), charged(to, units(to))]
  return text(from) === text(to) ? [] : [charged(to, Math.max(units(from), units(to)))]
}

/** What an index holds of an entry; undefined where it is not in it. */
function projected(entry: Entry | undefined, { partitionKey, sortKey, include }: IndexDefinition): Entry | undefined {
  if (entry?.[partitionKey] === undefined || entry[sortKey] === undefined) return undefined
  if (include === undefined) return entry
  const held = new Set(['PK', 'SK', partitionKey, sortKey, ...include])
  return Object.fromEntries(Object.entries(entry).filter(([name]) => held.has(name)))
}

/** The entries of an index that an item has. */
export function indexEntries(entries: readonly Entry[], index: IndexDefinition): readonly Entry[] {
  return entries.map((entry) => projected(entry, index)).filter((entry) => entry !== undefined)
}

function units(entry: Entry | undefined): number {
  return entry === undefined ? 0 : Math.max(1, Math.ceil(entryBytes(entry) / UNIT_BYTES))
}

function isAt(entry: Entry, { PK, SK }: EntryWrite['key']): boolean {
  return entry.PK?.S === PK?.S && entry.SK?.S === SK?.S
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? Buffer.from(part).toString('base64') : part))
}
