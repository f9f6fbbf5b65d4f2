import { comparePlaces, type Place, placeText } from '../place.ts'
import { type Run, runsOf } from '../runs.ts'
import type { ListEntry } from '../sorted-lists.ts'
import { type TryingAgain, untilMade } from '../tree/apply.ts'
import type { NodeStore, NodeWrite, TreeEdit, TreeName, TreesState } from '../tree/node-store.ts'
import { BLOCKS, type Block, emptyBlock, packBlock, unpackBlock } from './block.ts'
import { deltaBytesOf } from './delta-bytes.ts'
import { editBlock } from './edit-block.ts'
import { type Folding, type FullRow, foldBlock, rowsOf } from './fold-block.ts'
import { loadBlock } from './load-block.ts'
import { after } from './read-blocks.ts'

const CONSISTENT = { consistent: true } as const
/** Runs of so few entries are tried as a delta first, which is one write. */
const FEW = 40

/** A part of a run that goes into one block, or into those that it is cut into. */
interface FilledPart {
  readonly edit: TreeEdit
  readonly taken: number
}

/**
 * Adds what a scan saw, in the order of places: each commit writes as many whole blocks as it takes. Entries that came in by a change
 * meanwhile, or were removed by one, stay as the change left them.
 */
export async function fillColumns(
  store: NodeStore,
  trying: TryingAgain,
  trees: TreesState,
  entries: readonly ListEntry[],
  folding: Omit<Folding, 'mayGo'>,
): Promise<void> {
  let left: readonly Run[] = runsOf(entries)
  while (left.length > 0) {
    await untilMade(trying, async () => {
      const edits: TreeEdit[] = []
      const later: Run[] = []
      let nodes = 0
      for (const run of left) {
        const part = nodes > store.limits.nodes / 2 ? undefined : await fillPart(store, trees, run, folding)
        const fits = part !== undefined && (nodes === 0 || nodes + part.edit.writes.length <= store.limits.nodes)
        if (!fits) {
          later.push(run)
          nodes = store.limits.nodes
          continue
        }
        nodes += part.edit.writes.length
        if (part.edit.writes.length > 0) edits.push(part.edit)
        if (part.taken < run.entries.length) later.push({ ...run, entries: run.entries.slice(part.taken) })
      }
      const made = edits.length === 0 ? 'made' : await store.commit({ edits, trees })
      if (made === 'made') left = later
      return made
    })
  }
}

/** Fills the first part of a run: what belongs to the block that its first entry falls in, and not more than one commit takes. */
async function fillPart(
  store: NodeStore,
  { generation }: TreesState,
  { group, entries }: Run,
  folding: Omit<Folding, 'mayGo'>,
): Promise<FilledPart> {
  const tree: TreeName = { generation, group }
  const [first] = entries as readonly [ListEntry, ...ListEntry[]]
  const fence = placeText(first.place)
  const found = (await store.nearest(tree, BLOCKS, [fence])).get(fence)
  const block = found === undefined ? emptyBlock('', folding.now) : unpackBlock(found)
  const next = await nextFence(store, tree, block)
  const most = mostRows(store, folding)
  let taken = 1
  const isWithin = ({ place }: ListEntry): boolean => next === undefined || placeText(place) < next
  while (taken < Math.min(entries.length, most) && isWithin(entries[taken] as ListEntry)) taken++
  const steps = entries.slice(0, taken).map((entry) => ({ op: 'fill', ...entry }) as const)
  if (taken <= FEW && block.rows === 0) {
    const edited = editBlock(block, steps, new Map())
    if (edited === undefined) return { edit: { tree, writes: [] }, taken }
    if (deltaBytesOf(edited) <= folding.sizes.deltaBytes) {
      const write: NodeWrite = { row: BLOCKS, fence: block.fence, before: block.stored, bytes: packBlock(edited) }
      return { edit: { tree, writes: [write] }, taken }
    }
  }
  const whole = await loadBlock(store, tree, block, folding.facets)
  const rows = merged(block, rowsOf(whole), steps)
  return { edit: { tree, writes: foldBlock(whole, rows, { ...folding, mayGo: false }) }, taken }
}

async function nextFence(store: NodeStore, tree: TreeName, { fence, stored }: Block): Promise<string | undefined> {
  if (stored === undefined) return undefined
  const { nodes } = await store.range(tree, { row: BLOCKS, from: after(fence), most: 1 }, CONSISTENT)
  return nodes[0]?.fence
}

/** Rows of the blocks that one commit takes. */
function mostRows({ limits }: NodeStore, { sizes, facets }: Omit<Folding, 'mayGo'>): number {
  const nodesEach = 1 + facets + sizes.mostChunks
  return Math.max(1, Math.floor(limits.nodes / nodesEach) - 1) * sizes.blockRows
}

/** Rows with those that a scan saw, where they are neither there nor removed. */
function merged({ buried }: Block, rows: readonly FullRow[], seen: readonly FullRow[]): readonly FullRow[] {
  const all: FullRow[] = []
  const isBuried = new Set(buried.map(placeText))
  let next = 0
  const add = (row: FullRow): void => {
    const last = all.at(-1)
    if (last === undefined || comparePlaces(last.place, row.place) < 0) all.push(row)
  }
  for (const row of seen) {
    while (next < rows.length && compare(rows, next, row.place) <= 0) add(rows[next++] as FullRow)
    if (!isBuried.has(placeText(row.place))) add({ place: row.place, cell: row.cell })
  }
  for (; next < rows.length; next++) add(rows[next] as FullRow)
  return all
}

function compare(rows: readonly FullRow[], at: number, place: Place): number {
  return comparePlaces((rows[at] as FullRow).place, place)
}
