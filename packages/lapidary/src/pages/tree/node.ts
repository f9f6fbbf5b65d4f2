import { type BranchCounts, type Packed, packBranch, packEntries, unpackBranch, unpackEntries } from './packing.ts'

/**
 * The counted tree of a group. A leaf holds the entries from its fence to that of the next leaf, and a branch counts those of the nodes
 * from its fence to that of the next branch: its first node has its own fence. No node knows a rank or a page's number, so a change
 * anywhere writes one leaf and the branches above it.
 */
export interface Leaf {
  readonly fence: string
  readonly entries: readonly Packed[]
  /** The node as the store has it; undefined for a new one. */
  readonly stored: StoredNode | undefined
}

export interface Branch extends BranchCounts {
  readonly row: Row
  readonly fence: string
  readonly stored: StoredNode | undefined
}

/** Names of a tree's lists: an entry and a count say the number of a list, which is its place among them. */
export interface Names {
  readonly cells: readonly string[]
  /** Why the tree was given up, and is not kept any more: it had more lists than can be named. */
  readonly full: string | undefined
  /** The revision that a store has, where there are names. */
  readonly stored: Pick<StoredNode, 'revision'> | undefined
}

/** A node as a store has it. */
export interface StoredNode {
  readonly fence: string
  readonly bytes: Uint8Array
  /** Another one with each write; undefined for a node that was not written by this code. */
  readonly revision: string | undefined
}

/**
 * Nodes of one level lie in the row of its number, and leaves in row 0. The nodes that have no branch above them are together in the top
 * row, of whatever level, so that one read of it begins every search, whatever the height.
 */
export type Row = typeof TOP | number
export const TOP = 'top'
export const LEAVES = 0

/** Where the first node of a row begins. */
export const FIRST = ''

/** The list of tombstones; no list of items has this name. */
export const TOMBSTONES = '~'

export type Counts = ReadonlyMap<number, number>

export function leafFrom(stored: StoredNode): Leaf {
  return { fence: stored.fence, entries: unpackEntries(stored.bytes), stored }
}

export function leafBytes({ entries }: Pick<Leaf, 'entries'>): Uint8Array {
  return packEntries(entries)
}

export function branchFrom(row: Row, stored: StoredNode): Branch {
  return { row, fence: stored.fence, ...unpackBranch(stored.bytes), stored }
}

export function branchBytes(branch: BranchCounts): Uint8Array {
  return packBranch(branch)
}

/** The row in which the nodes of a branch lie. */
export function rowBelow({ level }: Pick<Branch, 'level'>): number {
  return level - 1
}

/** Entries by the number of their list. */
export function countsOf(entries: readonly Packed[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { cell } of entries) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  return counts
}

/** Adds counts to others, so many times. */
export function addCounts(to: Map<number, number>, counts: Counts, times = 1): void {
  for (const [cell, count] of counts) to.set(cell, (to.get(cell) ?? 0) + times * count)
}
