import type { LookUpPrice, LookUpShape } from '../sorted-lists.ts'
import { branchFrom, TOP } from './node.ts'
import { NODE_SIZES } from './node-sizes.ts'
import type { TopRow } from './node-store.ts'

/** As trees turn out in the bench `pages`: nodes in bytes, and what they hold. */
const LEAF = { bytes: 900, entries: 36 } as const
const BRANCH_BYTES = 140
const { fanout: FANOUT, mostTop: MOST_TOP } = NODE_SIZES
/** Of a tree of which nothing is known: most scopes are small, and who looks up a large one knows it then. */
const USUAL_ENTRIES = 1_000
const READ_UNIT = 4_096
/** Nodes of each level of each of several trees that an entry may be in, on average, where they are mixed evenly. */
const NODES_AMONG = 1.7

/** The nodes of a top row that have one level. */
export interface TopLevel {
  readonly level: number
  readonly nodes: number
  /** The part of a tree's entries that is below them. */
  readonly share: number
  /** Nodes directly below one of them, on average. */
  readonly below: number
}

/** What a tree's top row is, which the price of a look-up depends on. */
export type TreeSize = readonly TopLevel[]

/** The size that a tree of so many entries should have. */
export function sizeOf(entries: number = USUAL_ENTRIES): TreeSize {
  let nodes = Math.ceil(entries / LEAF.entries)
  if (nodes === 0) return []
  for (let level = 1; ; level++) {
    const below = Math.min(nodes, FANOUT)
    nodes = Math.ceil(nodes / FANOUT)
    if (nodes <= MOST_TOP) return [{ level, nodes, share: 1, below }]
  }
}

/** The size of a tree whose top row was read. */
export function sizeOfTop({ nodes }: Pick<TopRow, 'nodes'>): TreeSize {
  const levels = new Map<number, { nodes: number; entries: number; below: number }>()
  let all = 0
  for (const { level, counts, nodes: below } of nodes.map((stored) => branchFrom(TOP, stored))) {
    const known = levels.get(level) ?? { nodes: 0, entries: 0, below: 0 }
    const entries = [...counts.values()].reduce((sum, count) => sum + count, 0)
    all += entries
    levels.set(level, { nodes: known.nodes + 1, entries: known.entries + entries, below: known.below + below })
  }
  return [...levels].map(([level, { nodes: own, entries, below }]) => {
    return { level, nodes: own, share: entries / Math.max(1, all), below: below / own }
  })
}

/** The top row, and the way down for each end of the range and for the entry, which in several trees may be in more nodes. */
export function treePrice(
  size: TreeSize,
  { bounds, entry, among }: Pick<LookUpShape, 'bounds' | 'entry' | 'among'>,
): LookUpPrice {
  const sum = (of: (each: TopLevel) => number): number => size.reduce((all, each) => all + of(each), 0)
  const branches = sum(({ nodes }) => nodes)
  const ofEntry = among > 1 ? NODES_AMONG : 1
  const ways = bounds + (entry ? ofEntry : 0)
  // No node is read twice: of so few that each way is the same, one is read.
  const read = Math.min(ways, branches)
  const rcu = unitsOf((branches + 1) * BRANCH_BYTES) + read * sum(({ share, ...level }) => share * unitsBelow(level))
  const height = Math.round(sum(({ share, level }) => share * level))
  return { rcu, rounds: 1 + height * (Number(Math.min(read, bounds) > 0) + Number(read > bounds)) }
}

/** What it takes to go down from a node, reading all nodes of one branch at each level. */
function unitsBelow({ level, below }: Pick<TopLevel, 'level' | 'below'>): number {
  const bytesOf = (each: number): number => (each === 1 ? LEAF.bytes : BRANCH_BYTES)
  let rcu = unitsOf(below * bytesOf(level))
  for (let each = level - 1; each > 0; each--) rcu += unitsOf(FANOUT * bytesOf(each))
  return rcu
}

/** A Query that reads eventually: half a unit for 4 KB. */
function unitsOf(bytes: number): number {
  return 0.5 * Math.max(1, Math.ceil(bytes / READ_UNIT))
}
