import { LapidaryError } from '../../model/errors.ts'
import { compareBytes } from '../../model/key-text.ts'
import { comparePlaces, type Place, placeText } from '../place.ts'
import { type Run, runsOf } from '../runs.ts'
import type { ListEntry } from '../sorted-lists.ts'
import { type TryingAgain, untilMade } from '../tree/apply.ts'
import type { NodeStore, NodeWrite, TreeEdit, TreeName, TreesState } from '../tree/node-store.ts'
import { BLOCKS, type Block, type FullRow, firstBlock, packBlock, requireReach, rowsIn, unpackBlock } from './block.ts'
import { isDue } from './delta-bytes.ts'
import { editBlock } from './edit-block.ts'
import { type Folding, foldBlock, MOST_FOLDED, rowsOf } from './fold-block.ts'
import { loadBlock } from './load-block.ts'
import { piecesOf } from './pieces.ts'

/** Runs of so few entries are tried as a delta first, which is one write. */
const FEW = 40

/** A part of a run that goes into one block, or into those that it is cut into. */
interface FilledPart {
  readonly edit: TreeEdit
  readonly taken: number
}

/** How columns are filled. */
type Filling = Pick<Folding, 'sizes' | 'facets'>

/**
 * Adds what a scan saw, in the order of places: each commit writes as many whole blocks as it takes. Entries that came in by a change
 * meanwhile, or were removed by one, stay as the change left them.
 *
 * @throws {LapidaryError} `unprocessable` for an entry that is more than one commit takes.
 */
export async function fillColumns(
  store: NodeStore,
  trying: TryingAgain,
  trees: TreesState,
  entries: readonly ListEntry[],
  filling: Filling,
): Promise<void> {
  let left: readonly Run[] = runsOf(entries)
  /** The most entries of a part, after one was too large. */
  let most = Number.POSITIVE_INFINITY
  while (left.length > 0) {
    await untilMade(trying, async () => {
      const parts: FilledPart[] = []
      const later: Run[] = []
      let nodes = 0
      for (const run of left) {
        const part =
          nodes > store.limits.nodes / 2 ? undefined : await fillPart(store, trees, run, { ...filling, most })
        const fits = part !== undefined && (nodes === 0 || nodes + part.edit.writes.length <= store.limits.nodes)
        if (!fits) {
          later.push(run)
          nodes = store.limits.nodes
          continue
        }
        nodes += part.edit.writes.length
        parts.push(part)
        if (part.taken < run.entries.length) later.push({ ...run, entries: run.entries.slice(part.taken) })
      }
      const edits = parts.flatMap(({ edit }) => (edit.writes.length > 0 ? [edit] : []))
      const made = edits.length === 0 ? 'made' : await store.commit({ edits, trees })
      if (made === 'made') left = later
      if (made !== 'too large') return made
      const taken = Math.max(...parts.map((part) => part.taken))
      if (taken === 1) throw tooLarge(trying, left)
      most = Math.ceil(taken / 2)
      return made
    })
  }
}

function tooLarge({ namespace }: TryingAgain, [run]: readonly Run[]): LapidaryError {
  const message = `an entry of ${run?.group} in the columns ${namespace} is more than one transaction takes; take facets of long values out of the declaration`
  return new LapidaryError('unprocessable', message)
}

/** Fills the first part of a run: what belongs to the block that its first entry falls in, and not more than one commit takes. */
async function fillPart(
  store: NodeStore,
  { generation }: TreesState,
  { group, entries }: Run,
  { sizes, facets, most }: Filling & { readonly most: number },
): Promise<FilledPart> {
  const tree: TreeName = { generation, group }
  const [first] = entries as readonly [ListEntry, ...ListEntry[]]
  const fence = placeText(first.place)
  const found = (await store.nearest(tree, BLOCKS, [fence])).get(fence)
  const block = found === undefined ? firstBlock() : unpackBlock(found)
  requireReach(block, fence)
  const mostPieces = mostBlocks(store, { sizes, facets })
  const mostRows = Math.max(1, Math.min(most, mostPieces * sizes.blockRows - rowsIn(block)))
  const { next } = block
  const isWithin = ({ place }: ListEntry): boolean => next === undefined || compareBytes(placeText(place), next) < 0
  let taken = 1
  while (taken < Math.min(entries.length, mostRows) && isWithin(entries[taken] as ListEntry)) taken++
  const steps = entries.slice(0, taken).map((entry) => ({ op: 'fill', ...entry }) as const)
  if (taken <= FEW && block.rows === 0) {
    const edited = editBlock(block, steps, new Map())
    if (edited === undefined) return { edit: { tree, writes: [] }, taken }
    if (!isDue(edited, sizes)) {
      const write: NodeWrite = { row: BLOCKS, fence: block.fence, before: block.stored, bytes: packBlock(edited) }
      return { edit: { tree, writes: [write] }, taken }
    }
  }
  const whole = await loadBlock(store, tree, block, facets)
  // Of entries with long values fewer make a block.
  for (let take = taken; ; take = Math.ceil(take / 2)) {
    const rows = merged(block, rowsOf(whole), steps.slice(0, take))
    const fits = piecesOf(block, rows, { sizes, facets, most: mostPieces + 1 }).length <= mostPieces
    if (!fits && take > 1) continue
    return { edit: { tree, writes: foldBlock(whole, rows, { sizes, facets, most: mostPieces }) }, taken: take }
  }
}

/** The blocks that one commit takes. */
function mostBlocks({ limits }: NodeStore, { sizes, facets }: Filling): number {
  return Math.max(MOST_FOLDED, Math.floor(limits.nodes / (1 + facets + sizes.mostChunks)))
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
