import { tooManyLists } from '../cells.ts'
import { placeText } from '../place.ts'
import { type ChangedLeaf, editNodes, type NodesEdit } from './edit-nodes.ts'
import { type Located, locate, locateRun, type Path } from './locate.ts'
import { type Leaf, type Names, rowBelow, TOMBSTONES } from './node.ts'
import type { NamesWrite, NodeStore, TreeEdit, TreeName, TreesState } from './node-store.ts'
import type { Packed } from './packing.ts'
import { isEffective, isSame, numbering, type TreeStep } from './steps.ts'
import { Torn } from './torn.ts'

/** A tree, and what is known of it. */
export interface EditedTree extends TreesState {
  readonly namespace: string
  readonly group: string
}

/** What steps write of a tree. */
export interface Edit extends TreeEdit, Pick<NodesEdit, 'isWider'> {
  /** Whether each step changes a node, so that the commit is refused where one was not as it was read. */
  readonly isGuarded: boolean
}

/** Reads what the steps of one group touch, and says what to write. Steps that change nothing need no write. */
export async function editTree(store: NodeStore, edited: EditedTree, steps: readonly TreeStep[]): Promise<Edit> {
  const located = await locate(
    store,
    edited,
    steps.map(({ place }) => placeText(place)),
  )
  return editOf(store, edited, located, steps)
}

/** What a run of entries writes, and how many of its entries are in. */
export interface RunEdit extends Edit {
  readonly taken: number
}

/** The same of a run of entries in order that a scan saw: as many of them as the leaves take that are read at once. */
export async function editRun(store: NodeStore, edited: EditedTree, steps: readonly TreeStep[]): Promise<RunEdit> {
  const located = await locateRun(
    store,
    edited,
    steps.map(({ place }) => placeText(place)),
  )
  const left = steps.findIndex(({ place }) => !located.paths.has(placeText(place)))
  const taken = left < 0 ? steps.length : left
  return { ...(await editOf(store, edited, located, steps.slice(0, taken))), taken }
}

async function editOf(
  store: NodeStore,
  edited: EditedTree,
  { top, paths }: Located,
  steps: readonly TreeStep[],
): Promise<Edit> {
  const { generation, group } = edited
  const tree: TreeName = { generation, group }
  const unchanged: Edit = { tree, writes: [], isWider: false, isGuarded: false }
  if (top.names.full !== undefined) return unchanged
  const cells = [...top.names.cells]
  const { changed, isGuarded } = changedLeaves(paths, cells, edited.state, steps)
  if (changed.length === 0) return unchanged
  const names = namesWrite(store, edited, top.names, cells)
  if (names?.full !== undefined) return { ...unchanged, names }
  const nodes = await editNodes(changed, {
    sizes: store.sizes,
    readBelow: ({ fence, ...branch }, most) =>
      store.range(tree, { row: rowBelow(branch), from: fence, most }, { consistent: true }),
  })
  return { tree, names, isGuarded, ...nodes }
}

function namesWrite(
  { limits: { nameBytes } }: NodeStore,
  { namespace, group }: EditedTree,
  before: Names,
  cells: readonly string[],
): NamesWrite | undefined {
  if (cells.length === before.cells.length) return undefined
  const bytes = cells.reduce((sum, cell) => sum + Buffer.byteLength(cell) + 1, 0)
  const isFull = nameBytes !== undefined && bytes > nameBytes
  return { before, cells, full: isFull ? tooManyLists(namespace, group, cells) : undefined }
}

/** The leaves that steps change, with what they hold then. Lists that have no number yet are added to the cells. */
function changedLeaves(
  paths: ReadonlyMap<string, Path>,
  cells: string[],
  state: TreesState['state'],
  steps: readonly TreeStep[],
): { readonly changed: readonly ChangedLeaf[] } & Pick<Edit, 'isGuarded'> {
  requireNamed(paths, cells)
  const numberOf = numbering(cells)
  let isGuarded = true
  const edited = new Map<Leaf, { readonly path: Path; readonly entries: Packed[] }>()
  for (const step of steps) {
    const path = paths.get(placeText(step.place)) as Path
    const known = edited.get(path.leaf) ?? { path, entries: [...path.leaf.entries] }
    if (isEffective(known.entries, step, numberOf)) edited.set(path.leaf, known)
    else isGuarded = false
  }
  // Once the trees are filled, tombstones are of no use any more.
  const dropped = state === 'filling' ? -1 : cells.indexOf(TOMBSTONES)
  const changed = [...edited.values()]
    .map(({ path, entries }) => ({ path, entries: entries.filter(({ cell }) => cell !== dropped) }))
    .filter(({ path, entries }) => !isSame(path.leaf.entries, entries))
  return { changed, isGuarded: isGuarded && changed.length === edited.size }
}

/** @throws {Torn} for an entry of a list that has got its number since the names were read: a step might take that number for another list. */
function requireNamed(paths: ReadonlyMap<string, Path>, cells: readonly string[]): void {
  for (const leaf of new Set([...paths.values()].map((path) => path.leaf))) {
    const unnamed = leaf.entries.find(({ cell }) => cell >= cells.length)
    if (unnamed !== undefined) throw new Torn(`the leaf ${leaf.fence} has a list ${unnamed.cell} that has no name`)
  }
}
