import { type Block, packBlock } from './block.ts'

/** Bytes that the changed rows of a block add to its node. */
export function deltaBytesOf(block: Block): number {
  return packBlock(block).byteLength - packBlock({ ...block, delta: [] }).byteLength
}
