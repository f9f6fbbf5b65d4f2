import assert from 'node:assert/strict'
import { compareBytes } from '../../model/key-text.ts'
import { comparePlaces, placeText } from '../place.ts'
import {
  addCounts,
  type Branch,
  branchFrom,
  type Counts,
  countsOf,
  LEAVES,
  type Leaf,
  leafFrom,
  rowBelow,
  type StoredNode,
  TOP,
} from './node.ts'
import type { NodeSizes } from './node-sizes.ts'
import type { NodeStore, TreeName } from './node-store.ts'

/** A first entry of a leaf tells its score in full. */
const FULL_SCORE_BYTES = 9

/** Checks a tree that nothing is written to meanwhile. @throws {Error} that names the first invariant that is broken. */
export async function validateTree(store: NodeStore, tree: TreeName): Promise<void> {
  const { names, nodes } = await store.top(tree, { consistent: true })
  assert.equal(new Set(names.cells).size, names.cells.length, 'a list has two numbers')
  const tops = nodes.map((stored) => branchFrom(TOP, stored))
  const height = Math.max(1, ...tops.map(({ level }) => level))
  const rows = await Promise.all(
    Array.from({ length: height + 1 }, async (_, row) => {
      const read = await store.range(tree, { row, from: '' }, { consistent: true })
      return read.nodes
    }),
  )
  // A row above the highest branch has nothing.
  assert.equal(rows[height]?.length, 0, `nodes of level ${height} below none`)
  let above: readonly Branch[] = tops.filter(({ level }) => level === height)
  for (let row = height - 1; row >= LEAVES; row--) {
    const below = rows[row] as readonly StoredNode[]
    requireCounted(above, below, tops, store.sizes)
    if (row === LEAVES) break
    const lower = below.map((stored) => branchFrom(row, stored))
    for (const { level, fence } of lower) assert.equal(level, row, `the level of the branch ${fence}`)
    above = [...lower, ...tops.filter(({ level }) => level === row)].sort((a, b) => compareBytes(a.fence, b.fence))
  }
  requireLeaves((rows[LEAVES] as readonly StoredNode[]).map(leafFrom), names.cells.length, store.sizes)
}

/** Each branch counts the nodes from its fence to that of the next one, and has all of them. */
function requireCounted(
  branches: readonly Branch[],
  nodes: readonly StoredNode[],
  tops: readonly Branch[],
  { mostNodes }: NodeSizes,
): void {
  const fences = [...branches, ...tops].map(({ fence }) => fence)
  let counted = 0
  for (const branch of branches) {
    const next = fences.filter((fence) => compareBytes(fence, branch.fence) > 0).sort(compareBytes)[0]
    const below = nodes.filter(
      ({ fence }) => compareBytes(fence, branch.fence) >= 0 && (next === undefined || compareBytes(fence, next) < 0),
    )
    counted += below.length
    const counts = new Map<number, number>()
    for (const stored of below) addCounts(counts, countsBelow(branch, stored))
    assert.equal(below.length, branch.nodes, `nodes of the branch ${branch.fence}`)
    assert(branch.nodes > 0 && branch.nodes <= mostNodes, `${branch.nodes} nodes in a branch`)
    assert.equal(below[0]?.fence, branch.fence, `the first node of the branch ${branch.fence}`)
    assert.deepEqual(sorted(counts), sorted(branch.counts), `counts of the branch ${branch.fence}`)
  }
  assert.equal(counted, nodes.length, 'nodes that are in no branch')
}

function countsBelow(branch: Branch, stored: StoredNode): Counts {
  const row = rowBelow(branch)
  return row === LEAVES ? countsOf(leafFrom(stored).entries) : branchFrom(row, stored).counts
}

function requireLeaves(leaves: readonly Leaf[], lists: number, { leafBytes }: NodeSizes): void {
  for (const [i, { fence, entries, stored }] of leaves.entries()) {
    const next = leaves[i + 1]?.fence
    const bytes = stored?.bytes.byteLength ?? 0
    assert(bytes <= leafBytes + FULL_SCORE_BYTES || entries.length === 1, `a leaf of ${bytes} bytes`)
    for (const [j, { place, cell }] of entries.entries()) {
      const own = placeText(place)
      assert(compareBytes(own, fence) >= 0, `an entry below the fence of its leaf ${fence}`)
      assert(next === undefined || compareBytes(own, next) < 0, `an entry above its leaf ${fence}`)
      assert(cell < lists, `a list without a name: ${cell}`)
      const before = entries[j - 1]
      assert(before === undefined || comparePlaces(before.place, place) < 0, `entries out of order in ${fence}`)
    }
  }
}

function sorted(counts: Counts): readonly (readonly [number, number])[] {
  return [...counts].filter(([, count]) => count !== 0).sort(([a], [b]) => a - b)
}
