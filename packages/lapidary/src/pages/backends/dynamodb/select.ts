import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place, placeText } from '../../place.ts'
import type { RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { TOMBSTONES } from './edit.ts'
import { keptCells } from './nodes.ts'
import type { Packed } from './packing.ts'
import { fenceAfter, readLeaves, type TreeReading, type Upper } from './read-tree.ts'

/**
 * Two rounds, of which the first is read already: the branches tell in which of them the entry is, its leaves which one it is. The
 * bounds of a range read their own branches first, in a round between them.
 */
export async function selectInTree(
  table: TableClient,
  partition: string,
  { includes, lower, upper, ascending, offset, near }: RankQuestion,
  upperPart: Upper,
  reading: TreeReading,
): Promise<RankAnswer> {
  const { names, branches, rcu: upperRcu } = upperPart
  let rcu = upperRcu
  let rounds = 1
  const wanted = new Set(keptCells(names).flatMap((cell, i) => (cell !== TOMBSTONES && includes(cell) ? [i] : [])))
  const counts = branches.map(({ counts }) =>
    [...counts].reduce((sum, [cell, count]) => sum + (wanted.has(cell) ? count : 0), 0),
  )
  let all = 0
  const before = counts.map((count) => {
    all += count
    return all - count
  })

  const readings = new Map<number, Promise<readonly Packed[]>>()
  const entriesOf = (i: number): Promise<readonly Packed[]> => {
    const known = readings.get(i)
    if (known !== undefined) return known
    const leavesOf = readLeaves(table, partition, branches[i]?.fence ?? '', fenceAfter(branches, i), reading).then(
      ({ leaves, rcu: took }) => {
        rcu += took
        return leaves.flatMap(({ entries }) => entries)
      },
    )
    readings.set(i, leavesOf)
    return leavesOf
  }
  const isWanted = ({ cell }: Packed): boolean => wanted.has(cell)
  const rankOf = async (cut: Place): Promise<number> => {
    const i = branches.findLastIndex(({ fence }) => compareBytes(fence, placeText(cut)) <= 0)
    if (i < 0) return 0
    const entries = await entriesOf(i)
    return (before[i] ?? 0) + entries.filter((each) => isWanted(each) && comparePlaces(each.place, cut) < 0).length
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
  const entries = await entriesOf(i)
  const candidates = entries.filter(isWanted)
  // Between the two reads entries may have gone: then the last that is left is the nearest.
  const found = candidates[Math.min(rank - (before[i] ?? 0), candidates.length - 1)]
  if (found === undefined) return { total, place: undefined, rcu, rounds }
  const most = Math.min(near ?? 0, total - offset)
  const onwards = ascending ? entries : entries.toReversed()
  const nearby = passing(onwards.slice(onwards.indexOf(found)), isWanted, most)
  const cells = nearby.flatMap(({ cell }) => names.cells[cell] ?? []).filter((cell) => cell !== TOMBSTONES)
  return { total, place: found.place, near: cells, rcu, rounds }
}

/** The first entries, up to the last of so many that are wanted, or of as many as there are. */
function passing(entries: readonly Packed[], isWanted: (entry: Packed) => boolean, most: number): readonly Packed[] {
  let end = 0
  let left = most
  for (const [i, entry] of entries.entries()) {
    if (left === 0) break
    if (!isWanted(entry)) continue
    left--
    end = i + 1
  }
  return entries.slice(0, end)
}
