import { LapidaryError } from '../../model/errors.ts'
import { Again } from '../../table/retrying.ts'
import { placeText } from '../place.ts'
import { byGroup, type ChangesTarget } from '../tree/apply.ts'
import { editRemembered } from '../tree/edit-remembered.ts'
import type { NodeStore, NodeWrite, TreeEdit, TreeName, TreesState } from '../tree/node-store.ts'
import type { TreeStep } from '../tree/steps.ts'
import { Torn } from '../tree/torn.ts'
import {
  BLOCKS,
  type Block,
  chunkFence,
  firstBlock,
  PLACES,
  packBlock,
  requireReach,
  unpackBlock,
  unpackPlaces,
} from './block.ts'
import type { ColumnSizes } from './column-sizes.ts'
import { isDue, isOverdue } from './delta-bytes.ts'
import { chunksNeeded, editBlock, type ReadChunks } from './edit-block.ts'
import { foldBlock, MOST_FOLDED, rowsOf } from './fold-block.ts'
import { loadBlock, loadPrevious } from './load-block.ts'
import { after } from './read-blocks.ts'

const CONSISTENT = { consistent: true } as const

/** What changes of columns are made with. */
export interface ColumnsWriting {
  readonly store: NodeStore
  /** The same store, which remembers nodes. */
  readonly remembering: NodeStore
  readonly namespace: string
  readonly sizes: ColumnSizes
  /** How many facets have a column. */
  readonly facets: number
}

/** What steps write of a group. */
export interface GroupEdit {
  readonly edit: TreeEdit
  /** Blocks whose columns are to be written afterwards, and those where that has to be done first. */
  readonly full: readonly string[]
  readonly overdue: readonly string[]
  /** Whether each step writes its block, so that the commit is refused where another write was there. */
  readonly isGuarded: boolean
}

/** Takes changes into the deltas of blocks, and writes those that are full into their columns. */
export function columnsTarget({
  store,
  remembering,
  namespace,
  sizes,
  facets,
}: ColumnsWriting): ChangesTarget<readonly GroupEdit[]> {
  /** What steps write of a group: the blocks that they fall in, each with what changed. */
  async function editGroup(
    from: NodeStore,
    tree: TreeName,
    steps: readonly TreeStep[],
    isFilling: boolean,
  ): Promise<GroupEdit> {
    const nodes = await from.nearest(
      tree,
      BLOCKS,
      steps.map(({ place }) => placeText(place)),
    )
    const byBlock = new Map<string, { readonly block: Block; readonly steps: TreeStep[] }>()
    for (const step of steps) {
      const stored = nodes.get(placeText(step.place))
      const fence = stored?.fence ?? ''
      const own = byBlock.get(fence) ?? {
        block: stored === undefined ? firstBlock() : unpackBlock(stored),
        steps: [],
      }
      requireReach(own.block, placeText(step.place))
      own.steps.push(step)
      byBlock.set(fence, own)
    }
    const writes: NodeWrite[] = []
    const full: string[] = []
    const overdue: string[] = []
    let isGuarded = true
    for (const { block, steps: own } of byBlock.values()) {
      if (isOverdue(block, sizes)) overdue.push(block.fence)
      const edited = editBlock(block, own, await chunksOf(tree, block, chunksNeeded(block, own)))
      if (edited === undefined) {
        isGuarded = false
        continue
      }
      const written = isFilling ? edited : { ...edited, buried: [] }
      writes.push({ row: BLOCKS, fence: block.fence, before: block.stored, bytes: packBlock(written) })
      if (isDue(written, sizes)) full.push(block.fence)
    }
    return { edit: { tree, writes }, full, overdue, isGuarded }
  }

  async function chunksOf(tree: TreeName, block: Block, chunks: ReadonlySet<number>): Promise<ReadChunks> {
    const read = await Promise.all(
      [...chunks].map(async (chunk) => {
        const fence = chunkFence(block, chunk)
        const range = { row: PLACES, from: fence, to: after(fence), most: 1 }
        const { nodes } = await store.range(tree, range, CONSISTENT)
        if (nodes[0] === undefined) throw new Torn(`the block ${block.fence} has no places ${chunk}`)
        return [chunk, unpackPlaces(nodes[0])] as const
      }),
    )
    return new Map(read)
  }

  /** Writes what changed in a block into its columns; where another write comes between, the next change does. */
  async function fold(tree: TreeName, fence: string, trees: TreesState): Promise<void> {
    const stored = (await store.nearest(tree, BLOCKS, [fence])).get(fence)
    if (stored?.fence !== fence) return
    const block = unpackBlock(stored)
    // Another process may have done it.
    if (!isDue(block, sizes)) return
    try {
      const whole = await loadBlock(store, tree, block, facets)
      const rows = rowsOf(whole)
      const previous = rows.length > 0 || fence === '' ? undefined : await loadPrevious(store, tree, block)
      const writes = foldBlock(whole, rows, { sizes, facets, most: MOST_FOLDED, previous })
      // Other processes and this one's memory learn of it by its revision.
      const made = await remembering.commit({ edits: [{ tree, writes }], trees })
      if (made === 'too large') throw tooLargeToFold(namespace, tree, rows.length)
    } catch (error) {
      if (!(error instanceof Torn)) throw error
    }
  }

  return {
    mostSteps: Math.min(store.limits.nodes, 90),
    mark: (shardId) => store.mark(shardId),
    edit: ({ state, generation }, steps) =>
      Promise.all(
        [...byGroup(steps)].map(([group, own]) =>
          editRemembered(
            { store, remembering },
            (from) => editGroup(from, { generation, group }, own, state === 'filling'),
            ({ isGuarded, overdue }) => isGuarded && overdue.length === 0,
          ),
        ),
      ),
    async commit(edits, move) {
      const trees = move.from
      const overdue = edits.flatMap(({ edit, overdue: own }) => own.map((fence) => [edit.tree, fence] as const))
      if (overdue.length > 0) {
        for (const [tree, fence] of overdue) await fold(tree, fence, trees)
        return new Again(new Error('the columns of a block were to be written first'))
      }
      const made = await remembering.commit({ edits: edits.map(({ edit }) => edit), trees, mark: move })
      if (made !== 'made') return made
      for (const { edit, full } of edits) for (const fence of full) await fold(edit.tree, fence, trees)
      return made
    },
  }
}

function tooLargeToFold(namespace: string, { group }: TreeName, rows: number): LapidaryError {
  const message = `${rows} entries of ${group} in ${namespace} are more than one transaction takes; take facets of long values out of the declaration`
  return new LapidaryError('unprocessable', message, { details: { group, rows } })
}
