import { compareBytes } from '../../src/model/key-text.ts'
import type { Names, Row, StoredNode } from '../../src/pages/tree/node.ts'
import { TOP } from '../../src/pages/tree/node.ts'
import { NODE_SIZES, type NodeSizes } from '../../src/pages/tree/node-sizes.ts'
import type { CommitLimits, Mark, NodeStore, TreeName, TreesState } from '../../src/pages/tree/node-store.ts'
import { Again } from '../../src/table/retrying.ts'

/** Nodes so small that a few entries make a tree of several levels. */
export const SMALL_SIZES: NodeSizes = { leafBytes: 60, fanout: 3, mostNodes: 4, mostTop: 5 }

export interface MemoryNodesOptions {
  readonly sizes?: NodeSizes
  readonly limits?: Partial<CommitLimits>
  /** Lets others come between two reads. */
  readonly pause?: () => Promise<void>
}

/** A store of nodes in memory, and what was asked of it. */
export interface MemoryNodes extends NodeStore {
  readonly rows: (tree: TreeName) => ReadonlyMap<Row, readonly StoredNode[]>
  readonly counted: { commits: number; written: number; reads: number }
}

interface MemoryTree {
  names: Names
  readonly rows: Map<Row, Map<string, StoredNode>>
}

export function memoryNodes({
  sizes = NODE_SIZES,
  limits = {},
  pause = async () => undefined,
}: MemoryNodesOptions = {}): MemoryNodes {
  const trees = new Map<string, MemoryTree>()
  const marks = new Map<string, string>()
  let now: TreesState = { state: 'absent', generation: 0 }
  let revisions = 0
  const counted = { commits: 0, written: 0, reads: 0 }
  const most: CommitLimits = { steps: 30, nodes: 40, nameBytes: undefined, ...limits }
  const treeOf = ({ generation, group }: TreeName): MemoryTree => {
    const key = `${generation} ${group}`
    const tree = trees.get(key) ?? { names: { cells: [], full: undefined, stored: undefined }, rows: new Map() }
    trees.set(key, tree)
    return tree
  }
  const sorted = (tree: TreeName, row: Row): readonly StoredNode[] =>
    [...(treeOf(tree).rows.get(row)?.values() ?? [])].sort((a, b) => compareBytes(a.fence, b.fence))
  const read = async <T>(answer: () => T): Promise<T> => {
    counted.reads += 1
    await pause()
    return answer()
  }
  return {
    ...{ limits: most, sizes, counted, mostRereads: 1 },
    rows: (tree) => new Map([...treeOf(tree).rows.keys()].map((row) => [row, sorted(tree, row)])),
    top: (tree) => read(() => ({ names: treeOf(tree).names, nodes: sorted(tree, TOP), rcu: 1 })),
    nearest: (tree, row, fences) =>
      read(() => {
        const nodes = sorted(tree, row)
        return new Map(fences.map((fence) => [fence, nodes.findLast((node) => compareBytes(node.fence, fence) <= 0)]))
      }),
    range: (tree, { row, from, to, most: limit, descending = false }) =>
      read(() => {
        const nodes = sorted(tree, row).filter(
          ({ fence }) => compareBytes(fence, from) >= 0 && (to === undefined || compareBytes(fence, to) < 0),
        )
        return { nodes: (descending ? nodes.reverse() : nodes).slice(0, limit), rcu: 1 }
      }),
    async commit({ edits, trees: expected, mark }) {
      const writes = edits.flatMap(({ tree, writes: own }) => own.map((write) => ({ tree, ...write })))
      const keys = writes.map(({ tree, row, fence }) => JSON.stringify([tree.group, row, fence]))
      if (new Set(keys).size < keys.length) throw new Error('one commit writes a node twice')
      if (writes.length > 100) return 'too large'
      await pause()
      const isMoved = mark !== undefined && marks.get(mark.shardId) !== mark.from.sequenceNumber
      const isOther = now.generation !== expected.generation || now.state !== expected.state
      const nodeOf = ({ tree, row, fence }: (typeof writes)[number]): StoredNode | undefined =>
        treeOf(tree).rows.get(row)?.get(fence)
      const isStale =
        writes.some((write) => nodeOf(write)?.revision !== write.before?.revision) ||
        edits.some(({ tree, names }) => names && treeOf(tree).names.stored?.revision !== names.before.stored?.revision)
      if (isMoved || isOther || isStale) return new Again(new Error('another write came between'))
      counted.commits += 1
      counted.written += writes.length
      for (const { tree, names } of edits) {
        if (names === undefined) continue
        const { full } = names
        treeOf(tree).names = {
          cells: full === undefined ? names.cells : [],
          full,
          stored: { revision: String(revisions++) },
        }
      }
      for (const { tree, row, fence, bytes } of writes) {
        const { rows } = treeOf(tree)
        const nodes = rows.get(row) ?? new Map<string, StoredNode>()
        rows.set(row, nodes)
        if (bytes === undefined) nodes.delete(fence)
        else nodes.set(fence, { fence, bytes, revision: String(revisions++) })
      }
      if (mark !== undefined) marks.set(mark.shardId, mark.to)
      return 'made'
    },
    state: async () => ({ ...now, rcu: 0 }),
    async create() {
      if (now.state === 'absent') now = { state: 'ready', generation: 1 }
    },
    async begin() {
      now = { state: 'filling', generation: now.generation + 1 }
      return now.generation
    },
    async finish(generation) {
      now = { state: 'ready', generation }
    },
    async mark(shardId): Promise<Mark> {
      const sequenceNumber = marks.get(shardId)
      return { ...now, sequenceNumber, isStored: sequenceNumber !== undefined }
    },
    full: async () => [...trees.values()].find(({ names }) => names.full !== undefined)?.names.full,
    isGivenUp: () => false,
    groupOf: () => undefined,
    async *groups(generation) {
      for (const [key, { rows }] of trees) {
        if (key.startsWith(`${generation} `) && rows.size > 0) yield key.slice(`${generation} `.length)
      }
    },
  }
}
