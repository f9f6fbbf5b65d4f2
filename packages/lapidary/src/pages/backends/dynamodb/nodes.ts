import type { TargetKey } from '../../../derived/target-key.ts'
import type { Entry } from '../../../model/entry.ts'
import { LapidaryError } from '../../../model/errors.ts'
import { type Packed, packCounts, packEntries, unpackCounts, unpackEntries } from './packing.ts'

/**
 * The tree of a group, in one partition: a leaf holds the entries from its fence to the next leaf's, a branch counts those of
 * the leaves from its fence to the next branch's, and the names say which list has which number. Nothing knows a page's
 * number, so that an insert or a removal anywhere changes one leaf and one branch.
 */
export interface Leaf {
  readonly fence: string
  readonly entries: readonly Packed[]
  /** What the table has; undefined for a new one. */
  readonly stored: Entry | undefined
}

export interface Branch {
  readonly fence: string
  /** Entries by the number of their list. */
  readonly counts: ReadonlyMap<number, number>
  readonly leaves: number
  readonly stored: Entry | undefined
}

export interface Names {
  readonly cells: readonly string[]
  /** Why the tree was given up, and is not kept any more: it had more lists than can be named. */
  readonly full: string | undefined
  readonly stored: Entry | undefined
}

/** Where the first leaf and the first branch begin. */
export const FIRST = ''
export const LEAF_PREFIX = 'L#'
/** Names and branches are read together: both begin with it. */
export const UPPER_PREFIX = 'S'
export const BRANCH_PREFIX = 'S#'

export function treePartition(namespace: string, generation: number, group: string): string {
  return `${treesPrefix(namespace)}${generation}#${group}`
}

/** What the partitions of all trees of a namespace begin with. */
export function treesPrefix(namespace: string): string {
  return `~pages#${namespace}#`
}

export function leafKey(partition: string, fence: string): TargetKey {
  return { PK: partition, SK: `${LEAF_PREFIX}${fence}` }
}

export function branchKey(partition: string, fence: string): TargetKey {
  return { PK: partition, SK: `${BRANCH_PREFIX}${fence}` }
}

export function namesKey(partition: string): TargetKey {
  return { PK: partition, SK: UPPER_PREFIX }
}

/** Tells of a generation that it has a tree which was given up. */
export function fullKey(namespace: string, generation: number): TargetKey {
  return { PK: treePartition(namespace, generation, ''), SK: '~full' }
}

export function isNames({ SK }: Entry): boolean {
  return SK?.S === UPPER_PREFIX
}

/** Names that no item's attribute has: where keys of indexes are items' own attributes, an entry may have none of another type. */
export function leafEntry({ entries }: Pick<Leaf, 'entries'>): Entry {
  return { '~e': { B: packEntries(entries) } }
}

export function branchEntry({ counts, leaves }: Pick<Branch, 'counts' | 'leaves'>): Entry {
  return { '~c': { B: packCounts(counts) }, '~n': { N: String(leaves) } }
}

export function namesEntry(cells: readonly string[]): Entry {
  return { cells: { L: cells.map((S) => ({ S })) } }
}

/** In place of names that are too many. */
export function fullEntry(why: string): Entry {
  return { '~f': { S: why } }
}

export function leafFrom(stored: Entry): Leaf {
  return {
    fence: (stored.SK?.S ?? '').slice(LEAF_PREFIX.length),
    entries: unpackEntries(stored['~e']?.B ?? new Uint8Array()),
    stored,
  }
}

export function branchFrom(stored: Entry): Branch {
  return {
    fence: (stored.SK?.S ?? '').slice(BRANCH_PREFIX.length),
    counts: unpackCounts(stored['~c']?.B ?? new Uint8Array()),
    leaves: Number(stored['~n']?.N ?? 0),
    stored,
  }
}

export function namesFrom(stored: Entry | undefined): Names {
  return { cells: (stored?.cells?.L ?? []).map(({ S = '' }) => S), full: stored?.['~f']?.S, stored }
}

/** @throws {LapidaryError} `unprocessable` of a tree that was given up. */
export function keptCells({ cells, full }: Names): readonly string[] {
  if (full !== undefined) throw new LapidaryError('unprocessable', full)
  return cells
}

/** Entries by the number of their list. */
export function countsOf(leaves: readonly Pick<Leaf, 'entries'>[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { entries } of leaves) for (const { cell } of entries) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  return counts
}
