import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'
import type { StoredNode } from '../../tree/node.ts'
import { NODE_SIZES } from '../../tree/node-sizes.ts'
import type { CommitLimits, NodeStore, NodeWrite, TreeEdit, TreeName, TreesCommit } from '../../tree/node-store.ts'
import { after, type KnownNodes } from './known-nodes.ts'
import { createState, enterState, markMoves, putFull, readFull, readMark, readState } from './lists-state.ts'
import { namesFrom, namesWrite, nodeWrite, storedNode, treePartition, treesPrefix } from './nodes.ts'
import { readNearest, readRange, readTop } from './read-nodes.ts'
import { transact } from './transact.ts'

const LIMITS: CommitLimits = {
  // Each step may write a leaf, cut it, and write a branch; some of 100 items are left for names and marks.
  steps: 30,
  nodes: 90,
  // Every look-up reads the names, which is 12.5 RCU then, more than a tree of a million entries takes without; and the names of 30 trees,
  // of as many steps, fit into one transaction of 4 MB.
  nameBytes: 100_000,
}

/** The writes of a tree, as they are sent. */
interface Part {
  readonly tree: TreeName
  readonly names: TransactWriteItem | undefined
  readonly nodes: readonly { readonly write: NodeWrite; readonly made: TransactWriteItem }[]
}

/**
 * Nodes in the table itself: those of a tree are the items of a partition.
 *
 * @param known Nodes that need not be read, where they are read to be changed; it is told of what is read and written. All are read when not given.
 */
export function dynamodbNodes(
  table: TableClient,
  namespace: string,
  clock: () => number,
  known?: KnownNodes,
): NodeStore {
  const partitionOf = ({ generation, group }: TreeName): string => treePartition(namespace, generation, group)
  const partOf = ({ tree, names, writes }: TreeEdit): Part => ({
    tree,
    names: names && namesWrite(table, partitionOf(tree), names),
    nodes: writes.map((write) => ({ write, made: nodeWrite(table, partitionOf(tree), write) })),
  })
  const writesOf = (parts: readonly Part[], { edits, trees, mark }: TreesCommit): readonly TransactWriteItem[] => {
    const full = edits.find(({ names }) => names?.full !== undefined)?.names?.full
    return [
      ...(mark === undefined ? [] : markMoves(table, namespace, mark, clock())),
      ...parts.flatMap(({ names, nodes }) => [
        ...(names === undefined ? [] : [names]),
        ...nodes.map(({ made }) => made),
      ]),
      ...(full === undefined ? [] : [putFull(table, { namespace, ...trees }, full)]),
    ]
  }
  return {
    limits: LIMITS,
    sizes: NODE_SIZES,
    // A read that is made again costs what it cost before.
    mostRereads: 0,
    async top(tree, reading) {
      const remembered = known?.top(tree)
      if (remembered !== undefined) return remembered
      const top = await readTop(table, partitionOf(tree), reading)
      known?.keepTop(tree, top)
      return top
    },
    nearest: (tree, row, fences) =>
      known === undefined
        ? readNearest(table, partitionOf(tree), row, fences)
        : nearestKnown(table, partitionOf(tree), { tree, row, known }, fences),
    range: (tree, range, reading) => readRange(table, partitionOf(tree), range, reading),
    async commit(commit) {
      const parts = commit.edits.map(partOf)
      const result = await transact(table, writesOf(parts, commit))
      if (known !== undefined && result !== 'too large') tell(known, parts, result === 'made')
      return result
    },
    state: () => readState(table, namespace),
    create: () => createState(table, namespace),
    async begin() {
      const generation = (await readState(table, namespace)).generation + 1
      await enterState(table, namespace, { state: 'filling', generation }, clock())
      return generation
    },
    finish: (generation) => enterState(table, namespace, { state: 'ready', generation }, clock()),
    mark: (shardId) => readMark(table, namespace, shardId),
    full: () => readFull(table, namespace),
    isGivenUp({ PK }, generation) {
      return PK.startsWith(treesPrefix(namespace)) && !PK.startsWith(treePartition(namespace, generation, ''))
    },
    groupOf({ PK }, generation) {
      const prefix = treePartition(namespace, generation, '')
      return PK.startsWith(prefix) ? PK.slice(prefix.length) : undefined
    },
    async *groups() {},
  }
}

/** Finds nodes where they are known, and reads the others. */
async function nearestKnown(
  table: TableClient,
  partition: string,
  { tree, row, known }: { readonly tree: TreeName; readonly row: number; readonly known: KnownNodes },
  fences: readonly string[],
): Promise<ReadonlyMap<string, StoredNode | undefined>> {
  const found = new Map<string, StoredNode | undefined>()
  const unknown = fences.filter((fence) => {
    const remembered = known.nearest(tree, row, fence)
    if (remembered !== undefined) found.set(fence, remembered.node)
    return remembered === undefined
  })
  const [last] = [...unknown].sort(compareBytes).reverse()
  for (const [fence, node] of await readNearest(table, partition, row, unknown)) {
    found.set(fence, node)
    const isBehind = fence === last && node !== undefined && known.isBehind(tree, row, node)
    const to = isBehind ? await nextFence(table, partition, row, node.fence) : after(fence)
    known.learn(tree, row, node, to)
  }
  return found
}

/** The fence of the node behind one; undefined at the end of the row. */
async function nextFence(
  table: TableClient,
  partition: string,
  row: number,
  fence: string,
): Promise<string | undefined> {
  const range = { row, from: after(fence), most: 1 }
  return (await readRange(table, partition, range, { consistent: true })).nodes[0]?.fence
}

/** Tells what became of a commit. */
function tell(known: KnownNodes, parts: readonly Part[], isMade: boolean): void {
  const trees = parts.map(({ tree }) => tree)
  for (const { tree, names, nodes } of isMade ? parts : []) {
    if (names?.Put?.Item !== undefined) known.wroteNames(tree, namesFrom(names.Put.Item))
    for (const { write, made } of nodes) {
      known.wrote(tree, write.row, write.fence, made.Put?.Item && storedNode(write.row, made.Put.Item))
    }
  }
  if (isMade) known.made(trees)
  else known.refused(trees)
}
