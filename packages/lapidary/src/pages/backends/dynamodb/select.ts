import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { TOMBSTONES } from './edit.ts'
import { FIRST } from './nodes.ts'
import type { Packed } from './packing.ts'
import { fenceAfter, type TreeReading } from './read-tree.ts'
import { type OpenTree, SearchedTree, sumOf } from './searched-tree.ts'

/**
 * Two rounds, of which the first is read already: the branches tell in which of them the entry is, its leaves which one it is. The
 * bounds of a range read their own branches first, in a round between them. In several trees the entry may be in some branches of each,
 * whose leaves are read side by side.
 */
export async function selectInTrees(
  table: TableClient,
  open: readonly OpenTree[],
  { includes, lower, upper, ascending, offset, near }: RankQuestion,
  reading: TreeReading,
): Promise<RankAnswer> {
  const trees = open.map((tree) => new SearchedTree(table, tree, includes, reading))
  const rankOf = async (cut: Place): Promise<number> => sumOf(await Promise.all(trees.map((tree) => tree.rankOf(cut))))
  let rounds = 1
  const answer = (total: number, place?: Place): RankAnswer => {
    return { total, place, rcu: sumOf(trees.map(({ rcu }) => rcu)), rounds }
  }
  const [low, high] = await Promise.all([
    lower === undefined ? 0 : rankOf(lower),
    upper === undefined ? sumOf(trees.map(({ all }) => all)) : rankOf(upper),
  ])
  if (trees.some((tree) => tree.branches.some((_, i) => tree.isRead(i)))) rounds += 1
  const total = Math.max(0, high - low)
  if (offset >= total) return answer(total)
  const rank = ascending ? low + offset : high - 1 - offset
  const { branches, before } = branchesAround(trees, rank)
  if (branches.some(({ tree, i }) => !tree.isRead(i))) rounds += 1
  const read = await Promise.all(branches.map(async ({ tree, i }) => ({ tree, entries: await tree.entriesOf(i) })))
  const candidates = read.flatMap(({ tree, entries }) => entries.filter(tree.isWanted))
  if (trees.length > 1) candidates.sort((a, b) => comparePlaces(a.place, b.place))
  // Between the two reads entries may have gone: then the last that is left is the nearest.
  const found = candidates[Math.min(rank - before, candidates.length - 1)]
  const [first] = read
  if (found === undefined || first === undefined || near === undefined || trees.length > 1) {
    return answer(total, found?.place)
  }
  const most = Math.min(near, total - offset)
  const onwards = ascending ? first.entries : first.entries.toReversed()
  const nearby = passing(onwards.slice(onwards.indexOf(found)), first.tree.isWanted, most)
  const { names } = (open[0] as OpenTree).upper
  const cells = nearby.flatMap(({ cell }) => names.cells[cell] ?? []).filter((cell) => cell !== TOMBSTONES)
  return { ...answer(total, found.place), near: cells }
}

interface Around {
  /** One for one tree. */
  readonly branches: readonly { readonly tree: SearchedTree; readonly i: number }[]
  /** Entries before them. */
  readonly before: number
}

/**
 * The branches that the entry of a rank may be in. At each fence it is known how many entries are surely before it, those of branches that
 * have ended, and how many may be, those of branches that have begun.
 */
function branchesAround(trees: readonly SearchedTree[], rank: number): Around {
  const all = trees.flatMap((tree) =>
    tree.branches.map(({ fence }, i) => ({ tree, i, fence, next: fenceAfter(tree.branches, i) })),
  )
  const countOf = ({ tree, i }: Around['branches'][number]): number => tree.counts[i] ?? 0
  let [ended, begun] = [0, 0]
  let from = FIRST
  let to: string | undefined
  for (const { tree, i, fence } of all.toSorted((a, b) => compareBytes(a.fence, b.fence))) {
    ended += tree.counts[i - 1] ?? 0
    if (begun <= rank) from = fence
    if (ended > rank) {
      to = fence
      break
    }
    begun += tree.counts[i] ?? 0
  }
  const isBefore = ({ next }: (typeof all)[number]): boolean => next !== undefined && compareBytes(next, from) <= 0
  const isBehind = ({ fence }: (typeof all)[number]): boolean => to !== undefined && compareBytes(fence, to) >= 0
  return {
    branches: all.filter((each) => countOf(each) > 0 && !isBefore(each) && !isBehind(each)),
    before: sumOf(all.filter(isBefore).map(countOf)),
  }
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
