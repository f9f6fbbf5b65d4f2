import type { StoredNode } from '../tree/node.ts'
import type { NodeStore, TreeName } from '../tree/node-store.ts'
import { Torn } from '../tree/torn.ts'
import {
  BLOCKS,
  type Block,
  chunkFence,
  chunksEnd,
  FIRST_COLUMN,
  PLACES,
  unpackBlock,
  unpackColumnNode,
  unpackPlaces,
} from './block.ts'
import { unpackColumn } from './column.ts'
import { checkedChunk } from './edit-block.ts'
import { keyOf, type WholeBlock } from './fold-block.ts'
import { after } from './read-blocks.ts'

const CONSISTENT = { consistent: true } as const

/**
 * Reads all of a block.
 *
 * @throws {Torn} where a write came between.
 */
export async function loadBlock(store: NodeStore, tree: TreeName, block: Block, facets: number): Promise<WholeBlock> {
  const { fence } = block
  const ranges = [
    { row: PLACES, from: fence, to: chunksEnd(block) },
    ...Array.from({ length: facets }, (_, i) => ({ row: FIRST_COLUMN + i, from: fence, to: after(fence), most: 1 })),
  ]
  const isNew = block.stored === undefined
  const read = await Promise.all(
    ranges.map(async (range) => (isNew ? [] : (await store.range(tree, range, CONSISTENT)).nodes)),
  )
  const stored = new Map<string, StoredNode>()
  if (block.stored !== undefined) stored.set(keyOf(BLOCKS, fence), block.stored)
  read.forEach((nodes, i) => {
    for (const node of nodes) stored.set(keyOf((ranges[i] as (typeof ranges)[number]).row, node.fence), node)
  })
  const places = block.chunks.flatMap((_, i) => {
    const node = stored.get(keyOf(PLACES, chunkFence(block, i)))
    return checkedChunk(block, i, node && unpackPlaces(node)).places
  })
  const columns = (block.rows === 0 ? [] : block.columns).map((version, i) => {
    const node = stored.get(keyOf(FIRST_COLUMN + i, fence))
    const column = node && unpackColumnNode(node)
    if (column?.born === block.born && column.version === version) return unpackColumn(column.bytes)
    throw new Torn(`the block ${fence} has a column of another write`)
  })
  return { block, places, columns, stored }
}

/**
 * Reads the block before one that is not the first.
 *
 * @throws {Torn} where a write came between.
 */
export async function loadPrevious(store: NodeStore, tree: TreeName, { fence }: Block): Promise<Block> {
  const range = { row: BLOCKS, from: '', to: fence, most: 1, descending: true }
  const [stored] = (await store.range(tree, range, CONSISTENT)).nodes
  const previous = stored && unpackBlock(stored)
  if (previous?.next !== fence) throw new Torn(`no block ends where the block ${fence} begins`)
  return previous
}
