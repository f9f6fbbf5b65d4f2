import type { Entry } from 'lapidary'
import {
  type CollectionLayout,
  type EntryWrite,
  entryBytes,
  entryWrites,
  type IndexDefinition,
  keyAttributes,
} from 'lapidary/internal'

/** The write units that one partition is charged. */
export interface PartitionUnits {
  /** The index; undefined for the table itself. */
  readonly index: string | undefined
  /** The value of the partition key. */
  readonly partition: string
  readonly units: number
}

/** The factor of a transaction's units, in which several entries of an item are written (AWS Developer Guide). */
const TRANSACTION = 2
const UNIT_BYTES = 1024

/** DynamoDB's cap on a transaction, less the check of the item that each transaction of the change stream has. */
const MOST_STREAMED = 99

/**
 * Returns the units that bring an item's entries from `before` to `after`, by DynamoDB's rule: a unit for each KB begun of the larger image of
 * an entry, and in each index 1 for an entry that is put, removed, or changed in an attribute that the index holds, 2 for one whose key changes,
 * 0 for one that stays (AWS Developer Guide, "Provisioned throughput considerations for global secondary indexes").
 *
 * @param before Empty for a new item.
 * @param after Empty for an item that is deleted.
 */
export function writeUnits(
  { indexes, duplicates }: Pick<CollectionLayout, 'indexes' | 'duplicates'>,
  before: readonly Entry[],
  after: readonly Entry[],
): readonly PartitionUnits[] {
  const charged = entryWrites(before, after).map((write) => entryUnits(indexes, write, before, after))
  if (duplicates?.kept !== 'stream') return timed(charged.length > 1 ? TRANSACTION : 1, charged.flat())
  // The item by itself; then its duplicates, in transactions that check the item once more.
  const [own = [], ...others] = charged
  const looks = Math.ceil(others.length / MOST_STREAMED)
  const look = { index: undefined, partition: own[0]?.partition ?? '', units: looks * units(after[0] ?? before[0]) }
  return [...own, ...timed(TRANSACTION, [...others.flat(), look])]
}

function timed(factor: number, charged: readonly PartitionUnits[]): readonly PartitionUnits[] {
  return charged.map((one) => ({ ...one, units: factor * one.units }))
}

function entryUnits(
  indexes: readonly IndexDefinition[],
  write: EntryWrite,
  before: readonly Entry[],
  after: readonly Entry[],
): readonly PartitionUnits[] {
  const [old, made] = [before, after].map((entries) => entries.find((entry) => isAt(entry, write.key)))
  const changed = write.kind === 'update' ? new Set([...Object.keys(write.set), ...write.remove]) : undefined
  const ofTable = { index: undefined, partition: write.key.PK?.S ?? '', units: Math.max(units(old), units(made)) }
  return [ofTable, ...indexes.flatMap((index) => indexUnits(index, old, made, changed))]
}

function indexUnits(
  index: IndexDefinition,
  old: Entry | undefined,
  made: Entry | undefined,
  changed: ReadonlySet<string> | undefined,
): readonly PartitionUnits[] {
  const { name, keys, include } = index
  const [from, to] = [units(old, index), units(made, index)]
  const charged = (entry: Entry | undefined, weight: number): PartitionUnits => ({
    ...{ index: name, units: weight },
    partition: keys.partition.map((key) => entry?.[key.name]?.S ?? entry?.[key.name]?.N ?? '').join('/'),
  })
  if (from === 0) return to === 0 ? [] : [charged(made, to)]
  if (to === 0) return [charged(old, from)]
  if (keyAttributes(index).some((key) => changed?.has(key.name))) return [charged(old, from), charged(made, to)]
  const isHeld = include === undefined || include.some((held) => changed?.has(held))
  return isHeld ? [charged(made, Math.max(from, to))] : []
}

/** Counts the bytes of an entry in an index; 0 where it is not in it. */
export function indexBytes(entry: Entry, index: IndexDefinition): number {
  const { include } = index
  const keys = keyAttributes(index).map(({ name }) => name)
  if (keys.some((name) => entry[name] === undefined)) return 0
  if (include === undefined) return entryBytes(entry)
  const bytes = attributeBytes(entry)
  let sum = 0
  for (const name of new Set(['PK', 'SK', ...keys, ...include])) sum += bytes.get(name) ?? 0
  return sum
}

/** Counts the bytes of each attribute of an entry, name and value; an entry is measured once, however many indexes hold it. */
function attributeBytes(entry: Entry): ReadonlyMap<string, number> {
  const known = measured.get(entry)
  if (known !== undefined) return known
  const bytes = new Map(Object.entries(entry).map(([name, value]) => [name, entryBytes({ [name]: value })]))
  measured.set(entry, bytes)
  return bytes
}

const measured = new WeakMap<Entry, ReadonlyMap<string, number>>()

/** Returns the write units of an entry in the table or an index; 0 where it is not there. */
function units(entry: Entry | undefined, index?: IndexDefinition): number {
  if (entry === undefined) return 0
  return Math.ceil((index === undefined ? entryBytes(entry) : indexBytes(entry, index)) / UNIT_BYTES)
}

function isAt(entry: Entry, { PK, SK }: EntryWrite['key']): boolean {
  return entry.PK?.S === PK?.S && entry.SK?.S === SK?.S
}
