import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place, placeText } from '../../place.ts'
import type { RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { TOMBSTONES } from './edit.ts'
import type { Packed } from './packing.ts'
import { fenceAfter, readLeaves, type TreeReading, type Upper } from './read-tree.ts'

/**
 * Two rounds, of which the first is read already: the branches tell in which of them the entry is, its leaves which one it is. The
 * bounds of a range read their own branches first, in a round between them.
 */
export async function selectInTree(
  table: TableClient,
  partition: string,
  { includes, lower, upper, ascending, offset }: RankQuestion,
  upperPart: Upper,
  reading: TreeReading,
): Promise<RankAnswer> {
  const { names, branches, rcu: upperRcu } = upperPart
  let rcu = upperRcu
  let rounds = 1
  const wanted = new Set(names.cells.flatMap((cell, i) => (cell !== TOMBSTONES && includes(cell) ? [i] : [])))
  const counts = branches.map(({ counts }) =>
    [...counts].reduce((sum, [cell, count]) => sum + (wanted.has(cell) ? count : 0), 0),
  )
  let all = 0
  const before = counts.map((count) => {
    all += count
    return all - count
  })

  const readings = new Map<number, Promise<readonly Place[]>>()
  const placesOf = (i: number): Promise<readonly Place[]> => {
    const known = readings.get(i)
    if (known !== undefined) return known
    const leavesOf = readLeaves(table, partition, branches[i]?.fence ?? '', fenceAfter(branches, i), reading).then(
      ({ leaves, rcu: took }) => {
        rcu += took
        return leaves.flatMap(({ entries }) => entries.filter(({ cell }) => wanted.has(cell)).map(placeOf))
      },
    )
    readings.set(i, leavesOf)
    return leavesOf
  }
  const rankOf = async (cut: Place): Promise<number> => {
    const i = branches.findLastIndex(({ fence }) => compareBytes(fence, placeText(cut)) <= 0)
    if (i < 0) return 0
    const places = await placesOf(i)
    return (before[i] ?? 0) + places.filter((place) => comparePlaces(place, cut) < 0).length
  }

  const [low, high] = await Promise.all([
    lower === undefined ? 0 : rankOf(lower),
    upper === undefined ? all : rankOf(upper),
  ])
  if (readings.size > 0) rounds += 1
  const total = Math.max(0, high - low)
  if (offset >= total) return { total, place: undefined, rcu, rounds }
  const rank = ascending ? low + offset : high - 1 - offset
  const i = before.findLastIndex((count) => count <= rank)
  if (!readings.has(i)) rounds += 1
  const places = await placesOf(i)
  // Between the two reads entries may have gone: then the last that is left is the nearest.
  return { total, place: places[Math.min(rank - (before[i] ?? 0), places.length - 1)], rcu, rounds }
}

function placeOf({ place }: Packed): Place {
  return place
}
