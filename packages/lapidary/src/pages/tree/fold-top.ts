import { addCounts, type Branch, branchBytes, branchFrom, type StoredNode, TOP } from './node.ts'
import type { NodeSizes } from './node-sizes.ts'
import type { NodeWrite } from './node-store.ts'

/** How many nodes of a level stay, so that the newest ones need no branch above them. */
const LEFT_PART = 0.25

/**
 * Makes a part of a tree higher, where its top row is too long: the oldest nodes of the level that has most of them there go into a branch
 * of their own. Returns undefined where nothing is to be done.
 */
export function foldTop(
  stored: readonly StoredNode[],
  { mostTop, fanout }: Pick<NodeSizes, 'mostTop' | 'fanout'>,
): readonly NodeWrite[] | undefined {
  if (stored.length <= mostTop) return undefined
  const longest = runsOf(stored).reduce((most, run) => (run.length >= most.length ? run : most))
  const folded = longest.slice(0, Math.min(fanout, Math.ceil(longest.length * (1 - LEFT_PART))))
  const [first] = folded
  if (first === undefined || folded.length < 2) return undefined
  const counts = new Map<number, number>()
  for (const node of folded) addCounts(counts, node.counts)
  const branch = branchBytes({ level: first.level + 1, nodes: folded.length, counts })
  return folded.flatMap(({ level, fence, stored: before }, i): NodeWrite[] => [
    { row: level, fence, before: undefined, bytes: before?.bytes },
    { row: TOP, fence, before, bytes: i === 0 ? branch : undefined },
  ])
}

/** Nodes of one level that stand side by side. */
function runsOf(stored: readonly StoredNode[]): readonly (readonly Branch[])[] {
  const runs: Branch[][] = []
  for (const node of stored.map((each) => branchFrom(TOP, each))) {
    const last = runs.at(-1)
    if (last === undefined || last[0]?.level !== node.level) runs.push([node])
    else last.push(node)
  }
  return runs
}
