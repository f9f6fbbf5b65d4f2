import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { readNames } from '../dynamodb/edit.ts'
import { type Block, firstOf, readBlocks, readNewest } from './blocks.ts'

/** Blocks around a guess that are read at once: a guess is nearly right where lists are mixed evenly. */
const DISTANCES = [1, 3, 9, 27, 81, 243]
/** So few blocks are read all at once. */
const FEW = 6

/** Finds an entry by the stamps of blocks: the newest has the totals, and a guess by them is near the one that is looked for. */
export async function selectInBlocks(
  table: TableClient,
  partition: string,
  { includes, lower, upper, ascending, offset }: RankQuestion,
  consistent: boolean,
): Promise<RankAnswer | 'torn'> {
  let rounds = 1
  const [{ cells }, newest] = await Promise.all([
    readNames(table, partition),
    readNewest(table, partition, 1, { consistent }),
  ])
  // A name is a small item.
  let rcu = newest.rcu + 1
  const last = newest.blocks[0]
  if (last === undefined) return { total: 0, place: undefined, rcu, rounds }
  const wanted = new Set(cells.flatMap((cell, i) => (includes(cell) ? [i] : [])))
  const before = (block: Block): number =>
    [...block.before].reduce((sum, [cell, count]) => sum + (wanted.has(cell) ? count : 0), 0)
  const own = (block: Block): readonly Place[] =>
    block.entries.filter(({ cell }) => wanted.has(cell)).map(({ place }) => place)

  const known = new Map<number, Block>([[last.number, last]])
  const read = async (numbers: readonly number[]): Promise<void> => {
    const missing = numbers.filter((number) => !known.has(number))
    if (missing.length === 0) return
    rounds += 1
    const { blocks, rcu: took } = await readBlocks(table, partition, missing, consistent)
    rcu += took
    for (const block of blocks) known.set(block.number, block)
  }
  /** The last block that is not behind what is looked for. */
  const find = async ({ isBehind, isIt, share }: Search): Promise<Block | undefined> => {
    if (!isBehind(last)) return last
    let [low, high] = [0, last.number]
    while (high - low > 1) {
      const probes = probesBetween(low, high, share(known.get(low), known.get(high) ?? last))
      await read(probes)
      for (const number of probes) {
        const block = known.get(number)
        if (block === undefined) return undefined
        if (isIt(block)) return block
        if (isBehind(block)) high = Math.min(high, number)
        else low = Math.max(low, number)
      }
    }
    await read([low])
    return known.get(low)
  }
  const rankOf = async (cut: Place): Promise<number | undefined> => {
    const block = await find({
      isBehind: (each) => comparePlaces(firstOf(each), cut) > 0,
      isIt: (each) => comparePlaces(firstOf(each), cut) <= 0 && comparePlaces(cut, lastOf(each)) <= 0,
      share: (low, high) => shareOf(low && firstOf(low).score, cut.score, firstOf(high).score),
    })
    return block && before(block) + own(block).filter((place) => comparePlaces(place, cut) < 0).length
  }

  const all = before(last) + own(last).length
  const low = lower === undefined ? 0 : await rankOf(lower)
  const high = upper === undefined ? all : await rankOf(upper)
  if (low === undefined || high === undefined) return 'torn'
  const total = Math.max(0, high - low)
  if (offset >= total) return { total, place: undefined, rcu, rounds }
  const rank = ascending ? low + offset : high - 1 - offset
  const block = await find({
    isBehind: (each) => before(each) > rank,
    isIt: (each) => before(each) <= rank && rank < before(each) + own(each).length,
    share: (from, to) => shareOf(from === undefined ? 0 : before(from), rank, before(to)),
  })
  const place = block && own(block)[rank - before(block)]
  return place === undefined ? 'torn' : { total, place, rcu, rounds }
}

interface Search {
  readonly isBehind: (block: Block) => boolean
  readonly isIt: (block: Block) => boolean
  /** Where it is to be expected between two blocks, from 0 to 1. */
  readonly share: (low: Block | undefined, high: Block) => number
}

function lastOf({ entries }: Block): Place {
  return (entries.at(-1) as Block['entries'][number]).place
}

function shareOf(low: number | undefined, wanted: number, high: number): number {
  const share = low === undefined ? 0.5 : (wanted - low) / (high - low)
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0.5
}

/** Numbers between two: near the guess close together, further away far apart, and the middle, so that no list takes long. */
export function probesBetween(low: number, high: number, share: number): readonly number[] {
  if (high - low - 1 <= FEW) return Array.from({ length: high - low - 1 }, (_, i) => low + 1 + i)
  const guess = Math.round(low + share * (high - low))
  const around = DISTANCES.flatMap((distance) => [guess - distance, guess + distance])
  const probes = new Set([guess, ...around, Math.floor((low + high) / 2)])
  return [...probes].filter((number) => number > low && number < high)
}
