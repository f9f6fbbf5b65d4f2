import type { Place } from '../place.ts'
import type { NodeStore, Reading, TreeName } from '../tree/node-store.ts'
import type { Block, KnownPlace } from './block.ts'
import { ChunkReader } from './chunk-reader.ts'
import { cutBlocks, type Passing, passing } from './cut-blocks.ts'
import type { Match, Took } from './match.ts'
import { type BlocksRead, type ReadBlock, readBlocks } from './read-blocks.ts'
import type { RowTest } from './row-test.ts'

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
  /** RCU beyond which no further blocks are read; without limit when not given. */
  readonly mostRcu?: number
}

export interface BlocksAnswer extends Took {
  /** In the order that was asked for. */
  readonly places: readonly KnownPlace[]
  /** Entries that pass; undefined where not all blocks were read. */
  readonly total: number | undefined
  /** Whether `mostRcu` ended it before enough was found. */
  readonly isCut: boolean
}

/** Learns from what was read. */
export interface Learn {
  /** Told of blocks. */
  seen(columns: readonly number[], blocks: readonly ReadBlock[]): void
  /** Told how many chunks of places had the places of some rows. */
  placed(rows: number, chunks: number): void
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
  learn: Learn,
): Promise<BlocksAnswer> {
  const { test, lower, upper, ascending, offset, size, mostRcu = Number.POSITIVE_INFINITY } = question
  const chunks = new ChunkReader(store, tree, reading)
  const matches: Match[] = []
  let [passed, read, rcu, requests, rounds] = [0, 0, 0, 0, 0]
  let beyond: string | undefined
  let [isEnd, isCut] = [false, false]
  for (let most = question.blocks; !isEnd && !isCut && (most === undefined || passed < offset + size); ) {
    const asked = { columns: test.columns, lower, upper, ascending, beyond, most }
    const found: BlocksRead = await readBlocks(store, tree, asked, reading)
    learn.seen(test.columns, found.blocks)
    rcu += found.rcu
    requests += found.requests
    rounds += found.rounds
    const before = chunks.took.requests
    const cut = await cutBlocks(found.blocks, question, chunks)
    rounds += Number(chunks.took.requests > before)
    for (const each of cut) {
      const own = passing(each, test, question)
      const wanted = offset + size - passed
      if (wanted > 0) {
        const list = matchesOf(each.read.block, own)
        matches.push(...(ascending ? list : list.reverse()).slice(Math.max(0, offset - passed), wanted))
      }
      passed += own.count
    }
    isEnd = found.isEnd
    beyond = found.blocks.at(-1)?.block.fence
    read += found.blocks.length
    if (most !== undefined) most = moreBlocks(read, passed, offset + size - passed)
    isCut = !isEnd && passed < offset + size && rcu + ((most ?? 0) * rcu) / read > mostRcu
  }
  const before = chunks.took.requests
  const places = await chunks.placesOf(matches)
  const { took } = chunks
  rounds += Number(took.requests > before)
  learn.placed(places.length, took.requests - before)
  return {
    ...{ places, total: isEnd ? passed : undefined, isCut },
    ...{ rcu: rcu + took.rcu, requests: requests + took.requests, rounds },
  }
}

/** Blocks that should hold what lacks, by those that were read. */
function moreBlocks(read: number, passed: number, lacking: number): number {
  const most = read * MOST_GROWTH
  return passed === 0 ? most : Math.min(most, Math.max(1, Math.ceil((lacking * read * SLACK) / passed)))
}

/** A read that found little is followed by one so many times as long at most. */
const MOST_GROWTH = 4
/** By how much more is read than should do, so that a round more is rare. */
const SLACK = 1.3

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
