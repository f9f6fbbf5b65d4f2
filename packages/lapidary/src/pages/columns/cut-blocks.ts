import { comparePlaces, type Place } from '../place.ts'
import type { DeltaRow } from './block.ts'
import type { ChunkReader } from './chunk-reader.ts'
import type { ReadBlock } from './read-blocks.ts'
import { passesCell, type RowTest } from './row-test.ts'

/** Entries from a place on, and before another; undefined = all on that side. */
export interface Bounds {
  readonly lower: Place | undefined
  readonly upper: Place | undefined
}

/** A block, and the rows of its columns that are between the bounds. */
export interface CutBlock {
  readonly read: ReadBlock
  readonly from: number
  readonly to: number
}

/** Finds where the bounds cut blocks, which takes a look at the places there. */
export function cutBlocks(
  blocks: readonly ReadBlock[],
  { lower, upper }: Bounds,
  chunks: ChunkReader,
): Promise<readonly CutBlock[]> {
  return Promise.all(
    blocks.map(async (read) => {
      const { block } = read
      const first = block.chunks[0]?.first
      const isCutBelow = lower !== undefined && first !== undefined && comparePlaces(first, lower) < 0
      const isCutAbove = upper !== undefined && block.last !== undefined && comparePlaces(block.last, upper) >= 0
      const [from, to] = await Promise.all([
        isCutBelow ? chunks.rowAt(block, lower) : 0,
        isCutAbove ? chunks.rowAt(block, upper) : block.rows,
      ])
      return { read, from, to }
    }),
  )
}

/** The entries of a block that pass. */
export interface Passing {
  /** Marks rows of columns by 1. */
  readonly mask: Uint8Array
  readonly changed: readonly DeltaRow[]
  readonly count: number
}

export function passing(
  { read: { block, columns }, from, to }: CutBlock,
  test: RowTest,
  { lower, upper }: Bounds,
): Passing {
  const mask = block.rows === 0 ? new Uint8Array() : test.mask(columns, block.rows)
  mask.fill(0, 0, from)
  mask.fill(0, to)
  for (const { row, isBase } of block.delta) if (isBase) mask[row] = 0
  const changed = block.delta.filter(
    ({ cell, place }) =>
      cell !== undefined &&
      (lower === undefined || comparePlaces(place, lower) >= 0) &&
      (upper === undefined || comparePlaces(place, upper) < 0) &&
      passesCell(test, cell),
  )
  let count = changed.length
  for (const each of mask) count += each
  return { mask, changed, count }
}
