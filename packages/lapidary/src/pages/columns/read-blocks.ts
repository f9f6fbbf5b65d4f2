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
  /** The fence of the block that was read last; undefined at the beginning. */
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
 * @throws {Torn} where a write came between, so that a column is not of the same write as its block.
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
  const blocks: ReadBlock[] = []
  let isCut = false
  for (const stored of heads.nodes) {
    const block = unpackBlock(stored)
    // A row of columns that has fewer nodes than it was asked for ends where it ends; one that has as many may not have come so far.
    const isKnown = block.rows === 0 || columns.every((row) => row.isEnd || isReached(row.nodes, block, asked))
    if (!isKnown) {
      isCut = true
      break
    }
    const own = block.rows === 0 ? [] : byFence
    blocks.push({
      block,
      columns: own.map((nodes, i) => columnOf(block, asked, i, nodes)),
      bytes: own.map((nodes) => nodes.get(block.fence)?.bytes.byteLength ?? 0),
    })
  }
  return {
    blocks,
    isEnd: heads.isEnd && !isCut,
    rcu: sum(reads.map(({ rcu }) => rcu)),
    requests: sum(reads.map(({ requests }) => requests)),
    rounds: Math.max(...reads.map(({ requests }) => requests)),
  }
}

function isReached(nodes: readonly StoredNode[], { fence }: Block, { ascending }: BlocksAsked): boolean {
  const last = nodes.at(-1)
  if (last === undefined) return false
  return ascending ? compareBytes(last.fence, fence) >= 0 : compareBytes(last.fence, fence) <= 0
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
  readonly isEnd: boolean
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
  const from = isBegun ? after(beyond) : start
  const to = ascending || beyond === undefined ? upper && placeText(upper) : beyond
  const isNone = to !== undefined && compareBytes(from, to) >= 0
  const within = isNone ? NONE : store.range(tree, { row, from, to, most, descending: !ascending }, reading)
  const hasFirst = lower !== undefined && !isBegun && (to === undefined || compareBytes(start, to) <= 0)
  const first = hasFirst ? store.range(tree, { row, from: '', to: start, most: 1, descending: true }, reading) : NONE
  const [inside, before] = await Promise.all([within, first])
  const isAll = most === undefined || inside.nodes.length < most
  const nodes = ascending ? [...before.nodes, ...inside.nodes] : [...inside.nodes, ...(isAll ? before.nodes : [])]
  return {
    nodes,
    isEnd: isAll,
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
