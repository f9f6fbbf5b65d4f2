import { compareBytes } from '../../model/key-text.ts'
import { type Branch, branchFrom, FIRST, LEAVES, type Leaf, leafFrom, type StoredNode, TOP } from './node.ts'
import type { NodeRange, NodeStore, TopRow, TreeName } from './node-store.ts'
import { Torn } from './torn.ts'

/** A leaf, and the branches above it, the topmost first. */
export interface Path {
  readonly branches: readonly Branch[]
  readonly leaf: Leaf
}

/** What an edit reads of a tree. */
export interface Located {
  readonly top: TopRow
  /** By the fences that were looked for. */
  readonly paths: ReadonlyMap<string, Path>
}

/** How many leaves are read of those that a run of entries may come into. */
const RUN_LEAVES = 64

const NEW_LEAF: Leaf = { fence: FIRST, entries: [], stored: undefined }
/** What the first leaf of a tree is in, and one before all others. */
const NEW_BRANCH: Branch = { row: TOP, level: 1, fence: FIRST, nodes: 0, counts: new Map(), stored: undefined }

type Nearest = ReadonlyMap<string, StoredNode | undefined>

/**
 * Finds the leaves that fences fall in, wherever they are, and the branches above them. The top row is read first: as long as a node of it
 * is as it was, which the commit asks for, so is everything below it, in whatever order that was read.
 */
export async function locate(store: NodeStore, tree: TreeName, fences: readonly string[]): Promise<Located> {
  const top = await store.top(tree, { consistent: true })
  return { top, paths: await pathsOf(top, fences, (row) => store.nearest(tree, row, fences)) }
}

/** Where a run of entries goes to. */
export interface LocatedRun extends Located {
  /** The fence before which all leaves are read; undefined when all are. */
  readonly end: string | undefined
}

/** The same of fences in ascending order: reads the part of each row that they span, at most so many leaves. */
export async function locateRun(store: NodeStore, tree: TreeName, fences: readonly string[]): Promise<LocatedRun> {
  const top = await store.top(tree, { consistent: true })
  const [first = FIRST, last = FIRST] = [fences[0], fences.at(-1)]
  const spanOf = async (row: number, part: Pick<NodeRange, 'to' | 'most'>): Promise<readonly StoredNode[]> => {
    const [before, { nodes }] = await Promise.all([
      store.nearest(tree, row, [first]),
      store.range(tree, { row, from: first, ...part }, { consistent: true }),
    ])
    const nearest = before.get(first)
    return nearest === undefined || nearest.fence === nodes[0]?.fence ? nodes : [nearest, ...nodes]
  }
  const span = await spanOf(LEAVES, { to: after(last), most: RUN_LEAVES })
  const end = span.length < RUN_LEAVES ? undefined : span.at(-1)?.fence
  const leaves = end === undefined ? span : span.slice(0, -1)
  const covered = end === undefined ? fences : fences.filter((fence) => compareBytes(fence, end) < 0)
  const to = after(covered.at(-1) ?? first)
  const paths = await pathsOf(top, covered, async (row) =>
    fallInto(row === LEAVES ? leaves : await spanOf(row, { to }), covered),
  )
  return { top, paths, end }
}

/** The least fence above another. */
function after(fence: string): string {
  return `${fence}\u0000`
}

/** For each fence the node that it falls in, both in ascending order. */
function fallInto(nodes: readonly StoredNode[], fences: readonly string[]): Nearest {
  const found = new Map<string, StoredNode | undefined>()
  let i = -1
  for (const fence of fences) {
    while (i + 1 < nodes.length && compareBytes((nodes[i + 1] as StoredNode).fence, fence) <= 0) i++
    found.set(fence, nodes[i])
  }
  return found
}

async function pathsOf(
  top: TopRow,
  fences: readonly string[],
  read: (row: number) => Promise<Nearest>,
): Promise<ReadonlyMap<string, Path>> {
  const sorted = [...new Set(fences)].sort(compareBytes)
  const tops = decoded((stored) => branchFrom(TOP, stored))
  const above = new Map([...fallInto(top.nodes, sorted)].map(([fence, stored]) => [fence, tops(stored) ?? NEW_BRANCH]))
  const height = Math.max(1, ...[...above.values()].map(({ level }) => level))
  const rows = await Promise.all(Array.from({ length: height }, (_, row) => read(row)))
  const leaves = decoded(leafFrom)
  const branches = rows.map((_, row) => decoded((stored) => branchFrom(row, stored)))
  return new Map(
    sorted.map((fence) => {
      const first = above.get(fence) ?? NEW_BRANCH
      const lower = Array.from({ length: first.level - 1 }, (_, i) => {
        const row = first.level - 1 - i
        return branches[row]?.(rows[row]?.get(fence))
      })
      return [fence, fitting([first, ...lower], leaves(rows[LEAVES]?.get(fence)) ?? NEW_LEAF)]
    }),
  )
}

/** Each node begins within the one above it. @throws {Torn} for one that does not. */
function fitting(branches: readonly (Branch | undefined)[], leaf: Leaf): Path {
  const path: Branch[] = []
  let from = FIRST
  for (const branch of branches) {
    if (branch === undefined || compareBytes(branch.fence, from) < 0) throw new Torn(`a branch is missing at ${from}`)
    path.push(branch)
    from = branch.fence
  }
  if (compareBytes(leaf.fence, from) < 0) throw new Torn(`a leaf is missing at ${from}`)
  return { branches: path, leaf }
}

/** Makes one node of each that is stored, so that it is told by identity. */
function decoded<N>(from: (stored: StoredNode) => N): (stored: StoredNode | undefined) => N | undefined {
  const known = new Map<string, N>()
  return (stored) => {
    if (stored === undefined) return undefined
    const node = known.get(stored.fence) ?? from(stored)
    known.set(stored.fence, node)
    return node
  }
}
