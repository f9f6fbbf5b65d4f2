import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { RankQuestion } from '../../sorted-lists.ts'
import { readNames } from '../dynamodb/nodes.ts'
import { type Block, firstOf, readBlocks, readNewest } from './blocks.ts'

/** Blocks around a guess that are read at once: a guess is nearly right where lists are mixed evenly. */
const DISTANCES = [1, 3, 9, 27]
/** Probes cut the rest into so many equal parts, since a guess is far off where a list ends or is rare. */
const PARTS = 4
/** So few blocks are read all at once. */
const FEW = 8

/** Blocks were mended between two reads. */
export class TornBlocks extends Error {}

/** The blocks of a group as one question looks into them: each is read once. */
export interface SearchedBlocks {
  /** Entries of the lists that are asked for. */
  readonly all: number
  /** What it took up to now. */
  readonly took: { readonly rcu: number; readonly rounds: number }
  /** How many of them are before a place. */
  rankOf(cut: Place): Promise<number>
  /** That with so many before it. */
  placeAt(rank: number): Promise<Place>
}

/** Reads the newest block, which has the totals. A guess by the stamps of blocks is near what is looked for. */
export async function searchBlocks(
  table: TableClient,
  partition: string,
  includes: RankQuestion['includes'],
  consistent: boolean,
): Promise<SearchedBlocks> {
  const [{ cells }, newest] = await Promise.all([
    readNames(table, partition),
    readNewest(table, partition, 1, { consistent }),
  ])
  // A name is a small item.
  const took = { rcu: newest.rcu + 1, rounds: 1 }
  const last = newest.blocks[0]
  if (last === undefined) return { all: 0, took, rankOf: async () => 0, placeAt: () => torn() }
  const wanted = new Set(cells.flatMap((cell, i) => (includes(cell) ? [i] : [])))
  const before = (block: Block): number =>
    [...block.before].reduce((sum, [cell, count]) => sum + (wanted.has(cell) ? count : 0), 0)
  const own = (block: Block): readonly Place[] =>
    block.entries.filter(({ cell }) => wanted.has(cell)).map(({ place }) => place)

  const known = new Map<number, Block>([[last.number, last]])
  const read = async (numbers: readonly number[]): Promise<void> => {
    const missing = numbers.filter((number) => !known.has(number))
    if (missing.length === 0) return
    took.rounds += 1
    const { blocks, rcu } = await readBlocks(table, partition, missing, consistent)
    took.rcu += rcu
    for (const block of blocks) known.set(block.number, block)
  }
  /** The last block that is not behind what is looked for. */
  const find = async ({ isBehind, isIt, share }: Search): Promise<Block> => {
    if (!isBehind(last)) return last
    let [low, high] = [-1, last.number]
    for (let looked = [...known.keys()]; ; ) {
      for (const number of looked) {
        const block = known.get(number) ?? torn()
        if (isIt(block)) return block
        if (isBehind(block)) high = Math.min(high, number)
        else low = Math.max(low, number)
      }
      if (high - low <= 1) break
      looked = [...probesBetween(low, high, share(known.get(low), known.get(high) ?? last))]
      await read(looked)
    }
    // Of what is before all blocks, the first one tells that nothing is.
    const number = Math.max(0, low)
    await read([number])
    return known.get(number) ?? torn()
  }
  return {
    all: before(last) + own(last).length,
    took,
    async rankOf(cut) {
      const block = await find({
        isBehind: (each) => comparePlaces(firstOf(each), cut) > 0,
        isIt: (each) => comparePlaces(firstOf(each), cut) <= 0 && comparePlaces(cut, lastOf(each)) <= 0,
        share: (low, high) => shareOf(low && firstOf(low).score, cut.score, firstOf(high).score),
      })
      return before(block) + own(block).filter((place) => comparePlaces(place, cut) < 0).length
    },
    async placeAt(rank) {
      const block = await find({
        isBehind: (each) => before(each) > rank,
        isIt: (each) => before(each) <= rank && rank < before(each) + own(each).length,
        share: (from, to) => shareOf(from === undefined ? 0 : before(from), rank, before(to)),
      })
      return own(block)[rank - before(block)] ?? torn()
    },
  }
}

interface Search {
  readonly isBehind: (block: Block) => boolean
  readonly isIt: (block: Block) => boolean
  /** Where it is to be expected between two blocks, from 0 to 1. */
  readonly share: (low: Block | undefined, high: Block) => number
}

function torn(): never {
  throw new TornBlocks('blocks were mended between two reads')
}

function lastOf({ entries }: Block): Place {
  return (entries.at(-1) as Block['entries'][number]).place
}

function shareOf(low: number | undefined, wanted: number, high: number): number {
  const share = low === undefined ? 0.5 : (wanted - low) / (high - low)
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0.5
}

/** Numbers between two: close together near the guess, and some cuts into equal parts, so that no search takes long. */
export function probesBetween(low: number, high: number, share: number): readonly number[] {
  if (high - low - 1 <= FEW) return Array.from({ length: high - low - 1 }, (_, i) => low + 1 + i)
  const guess = Math.round(low + share * (high - low))
  const around = DISTANCES.flatMap((distance) => [guess - distance, guess + distance])
  const cuts = Array.from({ length: PARTS - 1 }, (_, i) => Math.round(low + ((i + 1) * (high - low)) / PARTS))
  const probes = new Set([guess, ...around, ...cuts])
  return [...probes].filter((number) => number > low && number < high)
}
