import type { LookUpPrice, LookUpShape } from '../../sorted-lists.ts'

/** As trees turn out in the bench `page-scale`: nodes in bytes, and what they hold. */
const LEAF = { bytes: 980, entries: 40 } as const
const BRANCH = { bytes: 150, leaves: 96 } as const
/** Of a tree of which nothing is known: most scopes are small, and who looks up a large one knows it then. */
const USUAL_ENTRIES = 1_000
const READ_UNIT = 4_096
/** Branches of each of several trees that an entry may be in, on average, where they are mixed evenly. */
const BRANCHES_AMONG = 1.7

/** How many nodes a tree has. */
export interface TreeSize {
  readonly leaves: number
  readonly branches: number
}

/** What a tree of so many entries should have. */
export function sizeOf(entries: number = USUAL_ENTRIES): TreeSize {
  const leaves = Math.ceil(entries / LEAF.entries)
  return { leaves, branches: Math.ceil(leaves / BRANCH.leaves) }
}

/** The branches, and the leaves of one branch for each end of the range and for the entry, which in several trees may be in more. */
export function treePrice(
  { leaves, branches }: TreeSize,
  { bounds, entry, among }: Pick<LookUpShape, 'bounds' | 'entry' | 'among'>,
): LookUpPrice {
  const ofEntry = among > 1 ? BRANCHES_AMONG : 1
  const read = Math.min(branches, bounds + (entry ? ofEntry : 0))
  const rcu = unitsOf((branches + 1) * BRANCH.bytes) + read * unitsOf((leaves / Math.max(1, branches)) * LEAF.bytes)
  // The branches, the ends of the range, and the entry, whose branch they tell.
  return { rcu, rounds: 1 + Number(Math.min(read, bounds) > 0) + Number(read > bounds) }
}

/** A Query that reads eventually: half a unit for 4 KB. */
function unitsOf(bytes: number): number {
  return 0.5 * Math.max(1, Math.ceil(bytes / READ_UNIT))
}
