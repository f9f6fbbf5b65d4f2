import { compareBytes } from '../../src/model/key-text.ts'
import { after, KnownNodes } from '../../src/pages/stores/dynamodb/known-nodes.ts'
import type { Names, Row, StoredNode } from '../../src/pages/tree/node.ts'
import { TOP } from '../../src/pages/tree/node.ts'
import { NODE_SIZES, type NodeSizes } from '../../src/pages/tree/node-sizes.ts'
import type {
  CommitLimits,
  CommitResult,
  Mark,
  NodeStore,
  Reading,
  TreeName,
  TreesCommit,
  TreesState,
} from '../../src/pages/tree/node-store.ts'
import { Again } from '../../src/table/retrying.ts'

/** Nodes so small that a few entries make a tree of several levels. */
export const SMALL_SIZES: NodeSizes = { leafBytes: 60, fanout: 3, mostNodes: 4, mostTop: 5 }

export interface MemoryNodesOptions {
  readonly sizes?: NodeSizes
  readonly limits?: Partial<CommitLimits>
  /** Lets others come between two reads. */
  readonly pause?: () => Promise<void>
  /** Whether others see a commit while only a part of it is written, as a Query of DynamoDB may see a transaction. */
  readonly isSeenInParts?: boolean
  /** Whether a read that is not consistent sees a node as it was before it was written last. */
  readonly isStale?: () => boolean
}

/** A store of nodes in memory, and what was asked of it. */
export interface MemoryNodes extends NodeStore {
  readonly rows: (tree: TreeName) => ReadonlyMap<Row, readonly StoredNode[]>
  readonly counted: { commits: number; written: number; reads: number }
  /** The same nodes, as a process reads and writes them that remembers some. */
  readonly remembering: () => NodeStore
}

/** As DynamoDB takes them: of an item some are its keys. */
const MOST_NODE_BYTES = 400_000
const MOST_BYTES = 4_000_000

interface MemoryTree {
  names: Names
  readonly rows: Map<Row, Map<string, StoredNode>>
}

export function memoryNodes({
  sizes = NODE_SIZES,
  limits = {},
  pause = async () => undefined,
  isSeenInParts = false,
  isStale: isReadStale = () => false,
}: MemoryNodesOptions = {}): MemoryNodes {
  const trees = new Map<string, MemoryTree>()
  const marks = new Map<string, string>()
  let now: TreesState = { state: 'absent', generation: 0 }
  let revisions = 0
  /** What commits are writing that others see a part of. */
  const underWay = new Set<string>()
  /** Nodes before they were written last, by where they are. */
  const former = new Map<string, StoredNode | undefined>()
  const keyOf = ({ generation, group }: TreeName, row: Row, fence: string): string =>
    JSON.stringify([generation, group, row, fence])
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
  /** The nodes of a row, some of them as they were. */
  const seen = (tree: TreeName, row: Row, { consistent }: Reading): readonly StoredNode[] => {
    const nodes = new Map(treeOf(tree).rows.get(row))
    if (consistent) return sorted(tree, row)
    for (const [key, node] of former) {
      const [generation, group, at, fence] = JSON.parse(key)
      if (generation !== tree.generation || group !== tree.group || at !== row || !isReadStale()) continue
      if (node === undefined) nodes.delete(fence)
      else nodes.set(fence, node)
    }
    return [...nodes.values()].sort((a, b) => compareBytes(a.fence, b.fence))
  }
  type Told = (tree: TreeName, row: Row, fence: string, node: StoredNode | undefined) => void
  async function commit({ edits, trees: expected, mark }: TreesCommit, told?: Told): Promise<CommitResult> {
    const writes = edits.flatMap(({ tree, writes: own }) => own.map((write) => ({ tree, ...write })))
    const keys = writes.map(({ tree, row, fence }) => keyOf(tree, row, fence))
    if (new Set(keys).size < keys.length) throw new Error('one commit writes a node twice')
    const bytes = writes.map((write) => write.bytes?.byteLength ?? 0)
    const isTooLarge = bytes.some((each) => each > MOST_NODE_BYTES) || bytes.reduce((a, b) => a + b, 0) > MOST_BYTES
    if (isTooLarge || writes.length > 100) return 'too large'
    await pause()
    const held = [...keys, ...(mark === undefined ? [] : [mark.shardId])]
    const isMoved = mark !== undefined && marks.get(mark.shardId) !== mark.from.sequenceNumber
    const isOther = now.generation !== expected.generation || now.state !== expected.state
    const nodeOf = ({ tree, row, fence }: (typeof writes)[number]): StoredNode | undefined =>
      treeOf(tree).rows.get(row)?.get(fence)
    const isStale =
      writes.some((write) => nodeOf(write)?.revision !== write.before?.revision) ||
      edits.some(({ tree, names }) => names && treeOf(tree).names.stored?.revision !== names.before.stored?.revision)
    const isHeld = held.some((key) => underWay.has(key))
    if (isMoved || isOther || isStale || isHeld) return new Again(new Error('another write came between'))
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
    if (mark !== undefined) marks.set(mark.shardId, mark.to)
    for (const key of held) underWay.add(key)
    for (const [i, { tree, row, fence, bytes }] of writes.entries()) {
      if (isSeenInParts && i > 0) await pause()
      const { rows } = treeOf(tree)
      const nodes = rows.get(row) ?? new Map<string, StoredNode>()
      rows.set(row, nodes)
      former.set(keyOf(tree, row, fence), nodes.get(fence))
      const node = bytes && { fence, bytes, revision: String(revisions++) }
      if (node === undefined) nodes.delete(fence)
      else nodes.set(fence, node)
      told?.(tree, row, fence, node)
      underWay.delete(keys[i] as string)
    }
    if (mark !== undefined) underWay.delete(mark.shardId)
    return 'made'
  }
  const store: NodeStore = {
    limits: most,
    sizes,
    mostRereads: 1,
    top: (tree) => read(() => ({ names: treeOf(tree).names, nodes: sorted(tree, TOP), rcu: 1 })),
    nearest: (tree, row, fences) =>
      read(() => {
        const nodes = sorted(tree, row)
        return new Map(fences.map((fence) => [fence, nodes.findLast((node) => compareBytes(node.fence, fence) <= 0)]))
      }),
    range: (tree, { row, from, to, most: limit, descending = false }, reading) =>
      read(() => {
        const nodes = seen(tree, row, reading).filter(
          ({ fence }) => compareBytes(fence, from) >= 0 && (to === undefined || compareBytes(fence, to) < 0),
        )
        return { nodes: (descending ? nodes.reverse() : nodes).slice(0, limit), rcu: 1 }
      }),
    commit: (made) => commit(made),
    state: async () => ({ ...now }),
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
  return {
    ...store,
    counted,
    rows: (tree) => new Map([...treeOf(tree).rows.keys()].map((row) => [row, sorted(tree, row)])),
    remembering() {
      const known = new KnownNodes()
      return {
        ...store,
        async nearest(tree, row, fences) {
          const found = new Map(fences.map((fence) => [fence, known.nearest(tree, row, fence)?.node]))
          const unknown = fences.filter((fence) => known.nearest(tree, row, fence) === undefined)
          if (unknown.length === 0) return found
          for (const [fence, node] of await store.nearest(tree, row, unknown)) {
            found.set(fence, node)
            known.learn(tree, row, node, after(fence))
          }
          return found
        },
        async commit(given) {
          const written: Parameters<Told>[] = []
          const result = await commit(given, (...each) => void written.push(each))
          for (const each of written) known.wrote(...each)
          const named = given.edits.map(({ tree }) => tree)
          if (result === 'made') known.made(named)
          else known.refused(named)
          return result
        },
      }
    },
  }
}
