import { compareBytes } from '../../model/key-text.ts'
import { placeText } from '../place.ts'
import { cutBranch } from './cut-branch.ts'
import { cutLeaf } from './cut-leaf.ts'
import type { Path } from './locate.ts'
import {
  addCounts,
  type Branch,
  branchBytes,
  branchFrom,
  type Counts,
  countsOf,
  LEAVES,
  type Leaf,
  leafBytes,
  leafFrom,
  rowBelow,
  type StoredNode,
} from './node.ts'
import type { NodeSizes } from './node-sizes.ts'
import type { NodeWrite, ReadNodes } from './node-store.ts'
import type { Packed } from './packing.ts'
import { Torn } from './torn.ts'

/** A leaf that changes, and its entries afterwards. */
export interface ChangedLeaf {
  readonly path: Path
  readonly entries: readonly Packed[]
}

/** What has to be written so that a tree has other leaves. */
export interface NodesEdit {
  readonly writes: readonly NodeWrite[]
  /** Whether the top row becomes longer. */
  readonly isWider: boolean
}

/** How nodes are edited. */
export interface NodesEditing {
  readonly sizes: NodeSizes
  /** Reads the first nodes of a branch. */
  readonly readBelow: (branch: Branch, most: number) => Promise<ReadNodes>
}

/** A node as the branch above it counts it. */
interface Counted {
  readonly fence: string
  readonly counts: Counts
  /** Whether the edit makes it. */
  readonly isNew: boolean
}

interface EditedLeaf {
  readonly node: Leaf
  readonly pieces: readonly (readonly Packed[])[]
}

interface EditedBranch {
  readonly node: Branch
  readonly below: (EditedLeaf | EditedBranch)[]
}

/**
 * Says what to write for leaves that change: each with the branches above it, which count what is in it. A leaf that is full is cut, and
 * so is a branch; a node that has nothing left is removed.
 */
export async function editNodes(changed: readonly ChangedLeaf[], editing: NodesEditing): Promise<NodesEdit> {
  const writes: NodeWrite[] = []
  const tops = treeOf(changed, editing.sizes)
  let isWider = false
  for (const top of tops) {
    const pieces = await writeBranch(top, false, { writes, ...editing })
    if (pieces.length > (top.node.stored === undefined ? 0 : 1)) isWider = true
  }
  requireOnce(writes)
  return { writes, isWider }
}

/** @throws {Torn} for a node that would be written twice: one was read before another write cut it, and its other part after that. */
function requireOnce(writes: readonly NodeWrite[]): void {
  const nodes = new Set<string>()
  for (const { row, fence } of writes) {
    const node = `${row}#${fence}`
    if (nodes.has(node)) throw new Torn(`the node ${fence} of row ${row} was read in two states`)
    nodes.add(node)
  }
}

/** The parts of a tree that change, from the top. */
function treeOf(changed: readonly ChangedLeaf[], sizes: NodeSizes): readonly EditedBranch[] {
  const tops: EditedBranch[] = []
  const known = new Map<Branch, EditedBranch>()
  for (const { path, entries } of changed) {
    let among: (EditedLeaf | EditedBranch)[] = tops
    for (const node of path.branches) {
      const branch = known.get(node) ?? { node, below: [] }
      if (!known.has(node)) among.push(branch)
      known.set(node, branch)
      among = branch.below
    }
    among.push({ node: path.leaf, pieces: cutLeaf(path.leaf.entries, entries, sizes) })
  }
  return tops
}

interface Writing extends NodesEditing {
  readonly writes: NodeWrite[]
}

/**
 * Writes a branch and what changes below it. A branch that stays keeps its first node, even one without entries: entries from its
 * fence on must not go to the branch before.
 *
 * @returns What stands in its place afterwards.
 */
async function writeBranch(edited: EditedBranch, mustStay: boolean, writing: Writing): Promise<readonly Counted[]> {
  const { node, below } = edited
  const stays = mustStay || survives(edited)
  const counts = new Map(node.counts)
  const others: Counted[] = []
  let { nodes } = node
  for (const each of below) {
    const isKept = stays && each.node.fence === node.fence
    const pieces = 'pieces' in each ? writeLeaf(each, isKept, writing) : await writeBranch(each, isKept, writing)
    addCounts(counts, 'pieces' in each ? countsOf(each.node.entries) : each.node.counts, -1)
    for (const piece of pieces) addCounts(counts, piece.counts)
    nodes += pieces.length - (each.node.stored === undefined ? 0 : 1)
    others.push(...pieces)
  }
  if (!stays) {
    if (node.stored !== undefined) writing.writes.push(writeOf(node, node.fence, node.stored, undefined))
    return []
  }
  const groups =
    nodes <= writing.sizes.mostNodes
      ? [{ fence: node.fence, nodes, counts }]
      : cut(await allBelow(edited, others, writing), writing.sizes)
  return groups.map((group, i) => {
    const before = i === 0 ? node.stored : undefined
    writing.writes.push(writeOf(node, group.fence, before, branchBytes({ level: node.level, ...group })))
    return { fence: group.fence, counts: group.counts, isNew: before === undefined }
  })
}

function writeOf(
  { row }: Branch,
  fence: string,
  before: StoredNode | undefined,
  bytes: Uint8Array | undefined,
): NodeWrite {
  return { row, fence, before, bytes }
}

function writeLeaf({ node, pieces }: EditedLeaf, mustStay: boolean, { writes }: Writing): readonly Counted[] {
  const left = pieces.length === 0 && mustStay ? [[]] : pieces
  if (left.length === 0 && node.stored !== undefined) {
    writes.push({ row: LEAVES, fence: node.fence, before: node.stored, bytes: undefined })
  }
  return left.map((entries, i) => {
    const [first] = entries
    const fence = i === 0 || first === undefined ? node.fence : placeText(first.place)
    const before = i === 0 ? node.stored : undefined
    writes.push({ row: LEAVES, fence, before, bytes: leafBytes({ entries }) })
    return { fence, counts: countsOf(entries), isNew: before === undefined }
  })
}

/** Whether a node has something left, by itself. */
function survives(edited: EditedLeaf | EditedBranch): boolean {
  if ('pieces' in edited) return edited.pieces.length > 0
  const gone = edited.below.filter((each) => each.node.stored !== undefined && !survives(each)).length
  const come = edited.below.filter((each) => each.node.stored === undefined && survives(each)).length
  return edited.node.nodes - gone + come > 0
}

/**
 * All nodes of a branch as they are afterwards. Each change of one writes the branch too, so nodes that are read after the branch are as
 * it counts them, or else its write is refused.
 */
async function allBelow(
  { node, below }: EditedBranch,
  edited: readonly Counted[],
  { readBelow }: Writing,
): Promise<readonly Counted[]> {
  const { nodes } = node.stored === undefined ? { nodes: [] } : await readBelow(node, node.nodes)
  const isWhole = nodes.length === node.nodes && (nodes.length === 0 || nodes[0]?.fence === node.fence)
  if (!isWhole) throw new Torn(`the branch ${node.fence} has ${node.nodes} nodes, and ${nodes.length} are there`)
  const replaced = new Set(below.map((each) => each.node.fence))
  const untouched = nodes
    .filter(({ fence }) => !replaced.has(fence))
    .map((stored): Counted => {
      const counts = node.level === 1 ? countsOf(leafFrom(stored).entries) : branchFrom(rowBelow(node), stored).counts
      return { fence: stored.fence, counts, isNew: false }
    })
  return [...untouched, ...edited].sort((a, b) => compareBytes(a.fence, b.fence))
}

function cut(nodes: readonly Counted[], sizes: NodeSizes): readonly { fence: string; nodes: number; counts: Counts }[] {
  return cutBranch(nodes, nodes.at(-1)?.isNew === true, sizes).map((group) => {
    const counts = new Map<number, number>()
    for (const each of group) addCounts(counts, each.counts)
    return { fence: (group[0] as Counted).fence, nodes: group.length, counts }
  })
}
