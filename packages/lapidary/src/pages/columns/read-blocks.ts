import { compareBytes } from '../../model/key-text.ts'
import { type Place, placeText } from '../place.ts'
import type { StoredNode } from '../tree/node.ts'
import type { NodeStore, Reading, ReadNodes, TreeName } from '../tree/node-store.ts'
import { Torn } from '../tree/torn.ts'
import { BLOCKS, type Block, FIRST_COLUMN, unpackBlock, unpackColumnNode } from './block.ts'
import { type Column, unpackColumn } from './column.ts'

/** A block with the columns that a question names. */
export interface ReadBlock {
  readonly block: Block
  /** In the order in which they were asked for; none where the block has no rows in columns. */
  readonly columns: readonly Column[]
  /** Bytes of each of them. */
  readonly bytes: readonly number[]
}

/** Which blocks are read. */
export interface BlocksAsked {
  /** The numbers of the columns that are read with them. */
  readonly columns: readonly number[]
  /** Places that the blocks hold entries from, and up to; undefined = all on that side. */
  readonly lower: Place | undefined
  readonly upper: Place | undefined
  readonly ascending: boolean
  /** Where what was read before ends: the end of its last block in ascending order, the fence of it in descending; undefined at the beginning. */
  readonly beyond: string | undefined
  /** So many at most; all when not given. */
  readonly most: number | undefined
}

/** Blocks in the order that was asked for. */
export interface BlocksRead {
  readonly blocks: readonly ReadBlock[]
  /** Whether there are no more. */
  readonly isEnd: boolean
  readonly rcu: number
  readonly requests: number
  /** Requests that waited for each other. */
  readonly rounds: number
}

/**
 * Reads blocks and their columns, each row of nodes by one Query, all at once.
 *
 * @throws {Torn} where a write came between, so that a column is not of the same write as its block, or blocks not of the same as each other.
 */
export async function readBlocks(
  store: NodeStore,
  tree: TreeName,
  asked: BlocksAsked,
  reading: Reading,
): Promise<BlocksRead> {
  const rows = [BLOCKS, ...asked.columns.map((column) => FIRST_COLUMN + column)]
  const reads = await Promise.all(rows.map((row) => readRow(store, tree, row, asked, reading)))
  const [heads, ...columns] = reads as [RowRead, ...RowRead[]]
  const byFence = columns.map(({ nodes }) => new Map(nodes.map((node) => [node.fence, node])))
  const blocks = heads.nodes.map((stored): ReadBlock => {
    const block = unpackBlock(stored)
    const own = block.rows === 0 ? [] : byFence
    return {
      block,
      columns: own.map((nodes, i) => columnOf(block, asked, i, nodes)),
      bytes: own.map((nodes) => nodes.get(block.fence)?.bytes.byteLength ?? 0),
    }
  })
  return {
    blocks,
    isEnd: requireChain(
      blocks.map(({ block }) => block),
      asked,
    ),
    rcu: sum(reads.map(({ rcu }) => rcu)),
    requests: sum(reads.map(({ requests }) => requests)),
    rounds: Math.max(...reads.map(({ requests }) => requests)),
  }
}

/**
 * Requires that blocks follow each other without a gap from where the reading began, and tells whether they go to its end.
 *
 * @throws {Torn} where a write that cut or removed one was seen in part.
 */
function requireChain(read: readonly Block[], { lower, upper, ascending, beyond, most }: BlocksAsked): boolean {
  const blocks = ascending ? read : read.toReversed()
  const [first, last] = [blocks[0], blocks.at(-1)]
  const [from, to] = [lower === undefined ? '' : placeText(lower), upper && placeText(upper)]
  if (first === undefined || last === undefined) {
    if (beyond !== undefined) throw new Torn(`the block at ${beyond} is gone`)
    return true
  }
  blocks.forEach(({ next, fence }, i) => {
    const follower = blocks[i + 1]
    if (follower !== undefined && follower.fence !== next) throw new Torn(`the block ${fence} ends where none begins`)
  })
  const isFirst = compareBytes(first.fence, from) <= 0
  const isLast = last.next === undefined || (to !== undefined && compareBytes(to, last.next) <= 0)
  const begins =
    beyond === undefined
      ? most === undefined || (ascending ? isFirst : isLast)
      : beyond === (ascending ? first.fence : last.next)
  const isWhole = most !== undefined || (isFirst && isLast)
  if (!begins || !isWhole) throw new Torn(`the blocks from ${first.fence} up to ${last.next} do not reach the ends`)
  return ascending ? isLast : isFirst
}

function columnOf(block: Block, { columns }: BlocksAsked, i: number, nodes: ReadonlyMap<string, StoredNode>): Column {
  const stored = nodes.get(block.fence)
  const node = stored && unpackColumnNode(stored)
  const column = node && unpackColumn(node.bytes)
  const version = block.columns[columns[i] as number]
  if (node?.born === block.born && node.version === version && column?.rows === block.rows) return column
  throw new Torn(`the block ${block.fence} has a column of another write`)
}

interface RowRead {
  readonly nodes: readonly StoredNode[]
  readonly rcu: number
  readonly requests: number
}

/** Nodes of a row that hold places of a range: the one that its lower end falls in, and those that begin in it. */
async function readRow(
  store: NodeStore,
  tree: TreeName,
  row: number,
  { lower, upper, ascending, beyond, most }: BlocksAsked,
  reading: Reading,
): Promise<RowRead> {
  const start = lower === undefined ? '' : after(placeText(lower))
  const isBegun = ascending && beyond !== undefined
  const from = isBegun ? beyond : start
  const to = ascending || beyond === undefined ? upper && placeText(upper) : beyond
  const isNone = to !== undefined && compareBytes(from, to) >= 0
  const within = isNone ? NONE : store.range(tree, { row, from, to, most, descending: !ascending }, reading)
  const hasFirst = lower !== undefined && !isBegun && (to === undefined || compareBytes(start, to) <= 0)
  const first = hasFirst ? store.range(tree, { row, from: '', to: start, most: 1, descending: true }, reading) : NONE
  const [inside, before] = await Promise.all([within, first])
  const isAll = most === undefined || inside.nodes.length < most
  return {
    nodes: ascending ? [...before.nodes, ...inside.nodes] : [...inside.nodes, ...(isAll ? before.nodes : [])],
    rcu: inside.rcu + before.rcu,
    requests: (inside.requests ?? 1) + (before.requests ?? 1),
  }
}

const NONE: ReadNodes = { nodes: [], rcu: 0, requests: 0 }

/** The least fence above another. */
export function after(fence: string): string {
  return `${fence}\u0000`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
