import { BLOCK_BYTES, BLOCK_RCU, NODE_SIZES, probesBetween } from 'lapidary/internal'
import type { ListLoad } from './page-lists.ts'

/** The units of one list of a page index in the table. */
export interface ListUnits {
  /** Write units of a batch of changes, without the mark of how far the shard is. */
  readonly batch: number
  readonly lookUp: number
}

const TRANSACTION = 2
/** The write units of that mark: an item of less than a KB in each transaction. */
export const MARK: number = TRANSACTION
/** A leaf and a branch are 1 KB or less. */
const NODE = TRANSACTION
/**
 * Bytes of entries in a leaf. A leaf is split before it is more than 1 KB; a branch with more than the most leaves is cut, and its older part
 * keeps this many.
 */
const LEAF_BYTES = 970
const LEAF_ENTRIES_BYTES = 880
/** The mean fill of leaves that are halved wherever they are full: ln 2. */
const HALVED = Math.LN2
const { mostNodes: MOST_LEAVES, fanout: OLDER_LEAVES, mostTop: MOST_TOP } = NODE_SIZES
const BRANCH_BYTES = 150
/** Entries of a block of markers, and the bytes of a block beside them. */
export const BLOCK_ENTRIES = 50
const BLOCK_BESIDE = 100
const UNIT_BYTES = 1024
const NAMES_AND_NEWEST = 1.5
/** Sizes, relative to the usual one, over which the cost of a look-up is averaged: it goes up and down as a list grows. */
const GROWTHS = [0.9, 0.95, 1, 1.05, 1.1]
/** The number of blocks that are looked up, evenly spread. */
const LOOKED_FOR = 50

/** Prices a list of the tree. A batch writes the newest leaf for new entries, each other leaf that has a change, and the branches above each. */
export function treeUnits({ items, packed, entering, isNew, together, added, newest, others }: ListLoad): ListUnits {
  const filled = newest < added ? HALVED : 1
  const leafEntries = Math.max(1, (filled * LEAF_ENTRIES_BYTES) / packed)
  const { leaves, older } = treeOf(items / leafEntries)
  // Each change is at the newest end or anywhere, and changes of one batch may meet in a node.
  const isWritten = (share: number): number => 1 - (1 - Math.min(1, share / together)) ** together
  const written = (nodes: number): number =>
    isWritten(newest + others / nodes) + (nodes - 1) * isWritten(others / nodes)
  const split = added / leafEntries
  const higher = higherOf(older + 1).reduce((sum, nodes) => sum + nodes * isWritten(others / nodes), 0)
  const batch = NODE * (written(leaves) + split + written(older + 1) + higher) + namesWritten(entering, isNew)
  const lookUps = GROWTHS.map((growth) => treeLookUp((items * growth) / leafEntries, filled * LEAF_BYTES))
  return { batch, lookUp: meanOf(lookUps) }
}

/** Returns the leaves of a tree, and how many of its branches are no longer the newest. */
function treeOf(full: number): { readonly leaves: number; readonly older: number } {
  const leaves = Math.max(1, Math.ceil(full))
  return { leaves, older: Math.max(0, Math.ceil((leaves - MOST_LEAVES) / OLDER_LEAVES)) }
}

/** Returns the branches of each level above the first, for this many in the first. */
function higherOf(branches: number): readonly number[] {
  const higher: number[] = []
  // The top row has room for the newest of each level.
  for (let [nodes, most] = [branches, MOST_TOP]; nodes > most; most = MOST_TOP - OLDER_LEAVES / 2) {
    nodes = Math.ceil(nodes / OLDER_LEAVES)
    higher.push(nodes)
  }
  return higher
}

/** Returns the RCU of a look-up: the top row, the branches of one at each level below it, and the leaves of one. */
function treeLookUp(full: number, leafBytes: number): number {
  const { leaves, older } = treeOf(full)
  const last = leaves - older * OLDER_LEAVES
  const read = (count: number): number => (count / leaves) * queryUnits(count * leafBytes)
  const higher = higherOf(older + 1)
  const top = (higher.at(-1) ?? older + 1) + (higher.length * OLDER_LEAVES) / 2
  const between = higher.length * queryUnits(OLDER_LEAVES * BRANCH_BYTES)
  return queryUnits((top + 1) * BRANCH_BYTES) + between + older * read(OLDER_LEAVES) + read(last)
}

/** Returns the write units for names of lists that begin with an item of the batch. */
function namesWritten(entering: number, isNew: number): number {
  return NODE * (1 - (1 - isNew) ** entering)
}

/** Returns the RCU of a Query of this many bytes. */
function queryUnits(bytes: number): number {
  return BLOCK_RCU * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
}

/** Prices a list of markers. A batch rewrites the newest block, or all blocks from the oldest change on. */
export function markerUnits({ items, packed, entering, isNew, newest, others }: ListLoad): ListUnits {
  // The share of batches that change the list, where not every batch does.
  const reached = Math.min(1, newest + others)
  const together = Math.max(1, newest + others)
  const share = others / (newest + others) || 0
  const unitsWith = (entries: number): number => TRANSACTION * Math.ceil((BLOCK_BESIDE + entries * packed) / UNIT_BYTES)
  const come = together * (1 - share)
  const count = Math.max(1, Math.round(come))
  // As a list grows, the last block has any number of entries. Appended entries fill it, and begin others. A change further back rewrites all full
  // blocks from its own on, so a batch writes each block that has a change in it or before it.
  const written = Array.from({ length: BLOCK_ENTRIES }, (_, from) => {
    const full = Math.max(0, Math.round((items - from) / BLOCK_ENTRIES))
    const [whole, rest] = [Math.floor((from + count) / BLOCK_ENTRIES), (from + count) % BLOCK_ENTRIES]
    const appended =
      whole * unitsWith(BLOCK_ENTRIES) + (rest === 0 ? 0 : unitsWith(rest)) + (from === 0 ? TRANSACTION : 0)
    const before = Array.from({ length: full }, (_, i) => (BLOCK_ENTRIES * (i + 1)) / (BLOCK_ENTRIES * full + from))
    const back = before.reduce((sum, part) => sum + 1 - (1 - share * part) ** together, 0)
    return appended + back * unitsWith(BLOCK_ENTRIES)
  })
  const read = meanOf(GROWTHS.map((growth) => blocksRead((items * growth) / BLOCK_ENTRIES)))
  return {
    batch: reached * (meanOf(written) + namesWritten(entering / reached, isNew)),
    lookUp: NAMES_AND_NEWEST + read * queryUnits(BLOCK_BESIDE + BLOCK_ENTRIES * packed),
  }
}

/** Returns how many blocks a look-up reads on average beside the newest: it runs the store's search on lists that are mixed evenly. */
function blocksRead(filled: number): number {
  const last = Math.max(1, Math.ceil(filled)) - 1
  const looked = Array.from({ length: LOOKED_FOR }, (_, i) => (i + 0.5) / LOOKED_FOR)
  const read = looked.map((share) => {
    const wanted = Math.floor(share * filled)
    const known = new Set([last])
    let [low, high] = [0, last]
    while (wanted !== last && high - low > 1 && !known.has(wanted)) {
      for (const probe of probesBetween(low, high, (share * filled - low) / (high - low))) {
        known.add(probe)
        if (probe > wanted) high = Math.min(high, probe)
        else low = Math.max(low, probe)
      }
    }
    return known.add(wanted).size - 1
  })
  return meanOf(read)
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
