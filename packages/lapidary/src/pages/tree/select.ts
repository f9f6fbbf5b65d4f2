import { compareBytes } from '../../model/key-text.ts'
import type { Place } from '../place.ts'
import { comparePlaces } from '../place.ts'
import type { RankAnswer, RankQuestion } from '../sorted-lists.ts'
import { FIRST, TOMBSTONES } from './node.ts'
import type { NodeStore, Reading } from './node-store.ts'
import type { Packed } from './packing.ts'
import { type OpenTree, type SearchedNode, SearchedTree, sumOf } from './searched-tree.ts'

/**
 * Goes down from the top rows, which are read already, a round for each level: the counts of the nodes tell in which of them the entry is.
 * The bounds of a range go down first, side by side. In several trees the entry may be in some nodes of each, which are read side by side.
 */
export async function selectInTrees(
  store: NodeStore,
  open: readonly OpenTree[],
  { includes, lower, upper, ascending, offset, near }: RankQuestion,
  reading: Reading,
): Promise<RankAnswer> {
  const trees = open.map((tree) => new SearchedTree(store, tree, includes, reading))
  const whole = sumOf(trees.flatMap(({ nodes }) => nodes.map(({ wanted }) => wanted)))
  const [low, high] = await Promise.all([
    lower === undefined ? { rank: 0, rounds: 0 } : rankIn(trees, lower),
    upper === undefined ? { rank: whole, rounds: 0 } : rankIn(trees, upper),
  ])
  let rounds = 1 + Math.max(low.rounds, high.rounds)
  const answer = (total: number, place?: Place): RankAnswer => {
    return { total, place, rcu: sumOf(trees.map(({ rcu }) => rcu)), rounds }
  }
  const total = Math.max(0, high.rank - low.rank)
  if (offset >= total) return answer(total)
  let rank = ascending ? low.rank + offset : high.rank - 1 - offset
  let among = trees.flatMap(({ nodes }) => nodes)
  for (;;) {
    const { nodes, before } = nodesAround(among, rank)
    rank -= before
    among = [...nodes]
    if (nodes.every(({ branch }) => branch === undefined)) break
    if (nodes.some((node) => !node.of.isRead(node))) rounds += 1
    among = (await Promise.all(nodes.map((node) => node.of.below(node)))).flat()
  }
  const candidates = among.flatMap(({ of, entries }) => entries.filter(of.isWanted))
  if (trees.length > 1) candidates.sort((a, b) => comparePlaces(a.place, b.place))
  // Entries may have gone between two reads: then the last that is left is the nearest.
  const found = candidates[Math.min(rank, candidates.length - 1)]
  const [leaf] = among
  if (found === undefined || leaf === undefined || near === undefined || trees.length > 1) {
    return answer(total, found?.place)
  }
  const most = Math.min(near, total - offset)
  return { ...answer(total, found.place), near: cellsFrom(found, leaf, ascending, most) }
}

async function rankIn(
  trees: readonly SearchedTree[],
  cut: Place,
): Promise<{ readonly rank: number; readonly rounds: number }> {
  const each = await Promise.all(trees.map((tree) => tree.rankOf(cut)))
  return { rank: sumOf(each.map(({ rank }) => rank)), rounds: Math.max(0, ...each.map(({ rounds }) => rounds)) }
}

interface Around {
  readonly nodes: readonly SearchedNode[]
  /** Entries before them. */
  readonly before: number
}

/**
 * The nodes that the entry of a rank may be in. At each fence it is known how many entries are surely before it, those of nodes that
 * have ended, and how many may be, those of nodes that have begun. Past the end it is the last one.
 */
function nodesAround(among: readonly SearchedNode[], wantedRank: number): Around {
  const filled = among.filter(({ wanted }) => wanted > 0)
  const rank = Math.min(wantedRank, sumOf(filled.map(({ wanted }) => wanted)) - 1)
  const fences = [...new Set(filled.flatMap(({ fence, next }) => (next === undefined ? [fence] : [fence, next])))]
  const begins = [...filled].sort((a, b) => compareBytes(a.fence, b.fence))
  const ends = filled.filter(({ next }) => next !== undefined).sort((a, b) => compareBytes(a.next ?? '', b.next ?? ''))
  let [ended, begun, e, b] = [0, 0, 0, 0]
  let from = FIRST
  let to: string | undefined
  for (const fence of fences.sort(compareBytes)) {
    for (; e < ends.length && compareBytes(ends[e]?.next ?? '', fence) <= 0; e++) ended += ends[e]?.wanted ?? 0
    if (begun <= rank) from = fence
    if (ended > rank) {
      to = fence
      break
    }
    for (; b < begins.length && compareBytes(begins[b]?.fence ?? '', fence) <= 0; b++) begun += begins[b]?.wanted ?? 0
  }
  const isBefore = ({ next }: SearchedNode): boolean => next !== undefined && compareBytes(next, from) <= 0
  const isBehind = ({ fence }: SearchedNode): boolean => to !== undefined && compareBytes(fence, to) >= 0
  return {
    nodes: filled.filter((each) => !isBefore(each) && !isBehind(each)),
    before: sumOf(filled.filter(isBefore).map(({ wanted }) => wanted)),
  }
}

/** The lists of entries from one on, up to the last of so many that are wanted, or of as many as were read with it. */
function cellsFrom(found: Packed, { of, beside }: SearchedNode, ascending: boolean, most: number): readonly string[] {
  const entries = beside.flatMap((leaf) => leaf.entries)
  const onwards = ascending ? entries : entries.toReversed()
  return passing(onwards.slice(onwards.indexOf(found)), of.isWanted, most)
    .flatMap(({ cell }) => of.cells[cell] ?? [])
    .filter((cell) => cell !== TOMBSTONES)
}

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
