import { probesBetween } from '../pages/backends/markers/searched-blocks.ts'
import { NODE_SIZES } from '../pages/tree/node-sizes.ts'
import { BLOCK_BYTES, BLOCK_RCU } from '../planner/entry-size.ts'
import type { ListLoad } from './page-lists.ts'

/** Units of one list of a page index in the table. */
export interface ListUnits {
  /** Write units of a batch of changes, without how far the shard is taken in. */
  readonly batch: number
  readonly lookUp: number
}

const TRANSACTION = 2
/** How far a shard is taken in: an item of less than a KB in each transaction. */
export const MARK: number = TRANSACTION
/** A leaf and a branch are 1 KB or less. */
const NODE = TRANSACTION
/** A leaf is split before it is more than 1 KB, of which its entries have so much; a branch of more leaves than the most is cut, and the older part is left with so many. */
const LEAF_BYTES = 970
const LEAF_ENTRIES_BYTES = 880
/** How full leaves are that are halved wherever they are full: ln 2. */
const HALVED = Math.LN2
const { mostNodes: MOST_LEAVES, fanout: OLDER_LEAVES, mostTop: MOST_TOP } = NODE_SIZES
const BRANCH_BYTES = 150
/** Entries of a block of markers, and its bytes beside them. */
export const BLOCK_ENTRIES = 50
const BLOCK_BESIDE = 100
const UNIT_BYTES = 1024
const NAMES_AND_NEWEST = 1.5
/** Of a list as large as this compared with the usual one: what a look-up takes goes up and down as it grows. */
const GROWTHS = [0.9, 0.95, 1, 1.05, 1.1]
/** Blocks that are looked for, evenly spread. */
const LOOKED_FOR = 50

/** A batch writes the newest leaf for what comes there, each other leaf that has a change, and the branches above each: the newest has one. */
export function treeUnits({ items, packed, entering, isNew, together, added, newest, others }: ListLoad): ListUnits {
  const filled = newest < added ? HALVED : 1
  const leafEntries = Math.max(1, (filled * LEAF_ENTRIES_BYTES) / packed)
  const { leaves, older } = treeOf(items / leafEntries)
  // Each change is at the newest end or anywhere, and those of a batch may meet in a node.
  const isWritten = (share: number): number => 1 - (1 - Math.min(1, share / together)) ** together
  const written = (nodes: number): number =>
    isWritten(newest + others / nodes) + (nodes - 1) * isWritten(others / nodes)
  const split = added / leafEntries
  const higher = higherOf(older + 1).reduce((sum, nodes) => sum + nodes * isWritten(others / nodes), 0)
  const batch = NODE * (written(leaves) + split + written(older + 1) + higher) + namesWritten(entering, isNew)
  const lookUps = GROWTHS.map((growth) => treeLookUp((items * growth) / leafEntries, filled * LEAF_BYTES))
  return { batch, lookUp: meanOf(lookUps) }
}

/** Leaves of a tree, and how many of its branches are no longer the newest. */
function treeOf(full: number): { readonly leaves: number; readonly older: number } {
  const leaves = Math.max(1, Math.ceil(full))
  return { leaves, older: Math.max(0, Math.ceil((leaves - MOST_LEAVES) / OLDER_LEAVES)) }
}

/** Branches of each level above the first, of as many as there are in the first. */
function higherOf(branches: number): readonly number[] {
  const higher: number[] = []
  // The top row has room for the newest of each level.
  for (let [nodes, most] = [branches, MOST_TOP]; nodes > most; most = MOST_TOP - OLDER_LEAVES / 2) {
    nodes = Math.ceil(nodes / OLDER_LEAVES)
    higher.push(nodes)
  }
  return higher
}

/** The top row, the branches of one at each level below it, and the leaves of one. */
function treeLookUp(full: number, leafBytes: number): number {
  const { leaves, older } = treeOf(full)
  const last = leaves - older * OLDER_LEAVES
  const read = (count: number): number => (count / leaves) * blocksOf(count * leafBytes)
  const higher = higherOf(older + 1)
  const top = (higher.at(-1) ?? older + 1) + (higher.length * OLDER_LEAVES) / 2
  const between = higher.length * blocksOf(OLDER_LEAVES * BRANCH_BYTES)
  return blocksOf((top + 1) * BRANCH_BYTES) + between + older * read(OLDER_LEAVES) + read(last)
}

/** Write units of the names of lists that a batch has the first items of. */
function namesWritten(entering: number, isNew: number): number {
  return NODE * (1 - (1 - isNew) ** entering)
}

/** RCU of a Query of so many bytes. */
function blocksOf(bytes: number): number {
  return BLOCK_RCU * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
}

/** A batch writes the newest block anew, or all from the oldest change on. */
export function markerUnits({ items, packed, entering, isNew, newest, others }: ListLoad): ListUnits {
  // Of a list that not every batch changes, the share of those that do.
  const reached = Math.min(1, newest + others)
  const together = Math.max(1, newest + others)
  const share = others / (newest + others) || 0
  const unitsWith = (entries: number): number => TRANSACTION * Math.ceil((BLOCK_BESIDE + entries * packed) / UNIT_BYTES)
  const come = together * (1 - share)
  const count = Math.max(1, Math.round(come))
  // As a list grows, the last block has any number of entries. What is appended fills it, and begins others; a change further back writes
  // all full blocks from its own on, so each of them wherever the batch has a change in it or before it.
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
    lookUp: NAMES_AND_NEWEST + read * blocksOf(BLOCK_BESIDE + BLOCK_ENTRIES * packed),
  }
}

/** Blocks that finding one takes, on average, beside the newest: as the search goes where lists are mixed evenly. */
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
