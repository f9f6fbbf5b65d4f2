/** How large blocks become. */
export interface ColumnSizes {
  /** Rows of a block that is cut, or made of a run. */
  readonly blockRows: number
  /** Bytes of a block's places, ids and texts, before they are packed, and of the texts of one facet: blocks of long values have fewer rows. */
  readonly blockBytes: number
  readonly columnBytes: number
  /** Bytes of the places that a block remembers as removed while it is filled. */
  readonly buriedBytes: number
  /** Bytes of changed rows above which they are written into the columns. */
  readonly deltaBytes: number
  /** Bytes of the places that are read together. */
  readonly chunkBytes: number
  /** Chunks of a block at most; those of long ids are larger then. */
  readonly mostChunks: number
}

/** By the figures of the bench `columns-simulated`. A chunk stays below 4 KB with its keys, which is half a read unit of DynamoDB. */
export const COLUMN_SIZES: ColumnSizes = {
  blockRows: 4_000,
  // Two blocks of half as much more, with what changed, fit into one transaction of 4 MB, and a column into an item of 400 KB.
  blockBytes: 1_000_000,
  columnBytes: 200_000,
  buriedBytes: 16_384,
  deltaBytes: 1_024,
  chunkBytes: 3_500,
  mostChunks: 20,
}

/** A block of two pieces with all their columns and places is one transaction of 100 writes. */
export const MOST_COLUMNS = 28
