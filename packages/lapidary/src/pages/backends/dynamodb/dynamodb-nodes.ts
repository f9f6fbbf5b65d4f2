import type { TableClient } from '../../../table/table-client.ts'
import { NODE_SIZES } from '../../tree/node-sizes.ts'
import type { CommitLimits, NodeStore, TreeName, TreesCommit } from '../../tree/node-store.ts'
import { createState, enterState, markMoves, putFull, readFull, readMark, readState } from './lists-state.ts'
import { namesWrite, nodeWrite, treePartition, treesPrefix } from './nodes.ts'
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

/** Nodes in the table itself: those of a tree are the items of a partition. */
export function dynamodbNodes(table: TableClient, namespace: string, clock: () => number): NodeStore {
  const partitionOf = ({ generation, group }: TreeName): string => treePartition(namespace, generation, group)
  const writesOf = ({ edits, trees, mark }: TreesCommit) => {
    const full = edits.find(({ names }) => names?.full !== undefined)?.names?.full
    return [
      ...(mark === undefined ? [] : markMoves(table, namespace, mark, clock())),
      ...edits.flatMap(({ tree, names, writes }) => [
        ...(names === undefined ? [] : [namesWrite(table, partitionOf(tree), names)]),
        ...writes.map((write) => nodeWrite(table, partitionOf(tree), write)),
      ]),
      ...(full === undefined ? [] : [putFull(table, { namespace, ...trees }, full)]),
    ]
  }
  return {
    limits: LIMITS,
    sizes: NODE_SIZES,
    top: (tree, reading) => readTop(table, partitionOf(tree), reading),
    nearest: (tree, row, fences) => readNearest(table, partitionOf(tree), row, fences),
    range: (tree, range, reading) => readRange(table, partitionOf(tree), range, reading),
    commit: (commit) => transact(table, writesOf(commit)),
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
