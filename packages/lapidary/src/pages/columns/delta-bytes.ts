import { type Block, packBlock } from './block.ts'
import type { ColumnSizes } from './column-sizes.ts'

/** Bytes that the changed rows of a block add to its node. */
export function deltaBytesOf(block: Block): number {
  return packBlock(block).byteLength - packBlock({ ...block, delta: [] }).byteLength
}

/** Whether what changed in a block is due to be written into its columns. */
export function isDue(block: Block, { deltaBytes, buriedBytes }: ColumnSizes): boolean {
  return deltaBytesOf(block) > deltaBytes || buriedBytesOf(block) > 2 * buriedBytes
}

/** Times what is due already, at which a change waits until the columns are written: so no node grows without end, however many write. */
const MOST_DUE = 16

/** Whether nothing may come into a block before its columns are written. */
export function isOverdue(block: Block, { deltaBytes, buriedBytes }: ColumnSizes): boolean {
  return deltaBytesOf(block) > MOST_DUE * deltaBytes || buriedBytesOf(block) > MOST_DUE * buriedBytes
}

function buriedBytesOf({ buried }: Pick<Block, 'buried'>): number {
  return buried.reduce((sum, { member }) => sum + Buffer.byteLength(member) + PLACE_BYTES, 0)
}

/** Bytes of a place beside its member. */
export const PLACE_BYTES = 10
