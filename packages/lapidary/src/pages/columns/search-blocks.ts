import { comparePlaces, type Place } from '../place.ts'
import type { NodeStore, Reading, TreeName } from '../tree/node-store.ts'
import type { Block, DeltaRow, KnownPlace } from './block.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { Match, Took } from './match.ts'
import { type BlocksRead, type ReadBlock, readBlocks } from './read-blocks.ts'
import { passesCell, type RowTest } from './row-test.ts'

/** What is asked of the blocks of a group. */
export interface BlocksQuestion {
  readonly test: RowTest
  /** Only entries from here on; undefined = from the first. */
  readonly lower: Place | undefined
  /** Only entries before; undefined = to the last. */
  readonly upper: Place | undefined
  readonly ascending: boolean
  /** How many entries that pass are passed over, and how many are given then. */
  readonly offset: number
  readonly size: number
  /** Blocks that are read at first, and more where entries lack; undefined = all at once, which tells the total. */
  readonly blocks: number | undefined
}

export interface BlocksAnswer extends Took {
  /** In the order that was asked for. */
  readonly places: readonly KnownPlace[]
  /** Entries that pass; undefined where not all blocks were read. */
  readonly total: number | undefined
}

/**
 * Finds entries that pass a test, by the columns that it names, and their places.
 *
 * @throws {Torn} where a write came between two reads.
 */
export async function searchBlocks(
  store: NodeStore,
  tree: TreeName,
  question: BlocksQuestion,
  reading: Reading,
): Promise<BlocksAnswer> {
  const { test, lower, upper, ascending, offset, size } = question
  const chunks = new ChunkReader(store, tree, reading)
  const matches: Match[] = []
  let [passed, rcu, requests, rounds] = [0, 0, 0, 0]
  let beyond: string | undefined
  let isEnd = false
  for (let most = question.blocks; !isEnd && (most === undefined || passed < offset + size); ) {
    const asked = { columns: test.columns, lower, upper, ascending, beyond, most }
    const found: BlocksRead = await readBlocks(store, tree, asked, reading)
    rcu += found.rcu
    requests += found.requests
    rounds += found.rounds
    const before = chunks.took.requests
    const cut = await cutBlocks(found.blocks, question, chunks)
    rounds += Number(chunks.took.requests > before)
    for (const { read, from, to } of cut) {
      const own = passing(read, question, from, to)
      const wanted = offset + size - passed
      if (wanted > 0) {
        const list = matchesOf(read.block, own)
        matches.push(...(ascending ? list : list.reverse()).slice(Math.max(0, offset - passed), wanted))
      }
      passed += own.count
    }
    isEnd = found.isEnd
    beyond = found.blocks.at(-1)?.block.fence
    if (most !== undefined) most *= 2
  }
  const before = chunks.took.requests
  const places = await chunks.placesOf(matches)
  const { took } = chunks
  rounds += Number(took.requests > before)
  return {
    ...{ places, total: isEnd ? passed : undefined },
    ...{ rcu: rcu + took.rcu, requests: requests + took.requests, rounds },
  }
}

/** A block, and the rows of its columns that are between the bounds. */
interface CutBlock {
  readonly read: ReadBlock
  readonly from: number
  readonly to: number
}

/** Finds where the bounds cut blocks, which takes a look at the places there. */
function cutBlocks(
  blocks: readonly ReadBlock[],
  { lower, upper }: BlocksQuestion,
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
interface Passing {
  /** Marks rows of columns by 1. */
  readonly mask: Uint8Array
  readonly changed: readonly DeltaRow[]
  readonly count: number
}

function passing(
  { block, columns }: ReadBlock,
  { test, lower, upper }: BlocksQuestion,
  from: number,
  to: number,
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

/** The same one by one, in ascending order. */
function matchesOf(block: Block, { mask, changed }: Passing): Match[] {
  const matches: Match[] = []
  let next = 0
  const takeUntil = (row: number): void => {
    for (; next < row; next++) if (mask[next] === 1) matches.push({ block, at: next })
  }
  for (const row of changed) {
    takeUntil(row.row)
    matches.push({ block, at: row })
  }
  takeUntil(mask.length)
  return matches
}
