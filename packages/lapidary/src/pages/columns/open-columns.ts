import type { Condition } from '../../model/condition.ts'
import { LapidaryError } from '../../model/errors.ts'
import { Again, retrying } from '../../table/retrying.ts'
import type { LoadedLists } from '../loaded-lists.ts'
import { comparePlaces, placeText } from '../place.ts'
import { type ListsFilling, type RankAnswer, type RankQuestion, STATE_AGE_MS } from '../sorted-lists.ts'
import { applyChanges, byGroup, type ChangesTarget, damaged } from '../tree/apply.ts'
import type { NodeStore, NodeWrite, Reading, TreeEdit, TreeName, TreesState } from '../tree/node-store.ts'
import { shownState, type TreesContext } from '../tree/open-trees.ts'
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
import type { ColumnFacet } from './column-cells.ts'
import { ColumnSamples } from './column-samples.ts'
import { COLUMN_SIZES, type ColumnSizes } from './column-sizes.ts'
import { conditionTest } from './condition-test.ts'
import type { Bounds } from './cut-blocks.ts'
import { isDue, isOverdue } from './delta-bytes.ts'
import { chunksNeeded, editBlock, type ReadChunks } from './edit-block.ts'
import { fillColumns } from './fill-columns.ts'
import { foldBlock, MOST_FOLDED, rowsOf } from './fold-block.ts'
import { inspectColumns } from './inspect-columns.ts'
import { loadBlock, loadPrevious } from './load-block.ts'
import type { Took } from './match.ts'
import { after } from './read-blocks.ts'
import { cellTest } from './row-test.ts'
import { type BlocksAnswer, type BlocksQuestion, type Learn, searchBlocks } from './search-blocks.ts'
import { type TallyAnswer, type TallyQuestion, tallyBlocks } from './tally-blocks.ts'
import { validateColumns } from './validate.ts'

/** What columns are opened with beside their store. */
export interface ColumnsContext extends TreesContext {
  /** What the columns are of. */
  readonly facets: readonly ColumnFacet[]
  readonly sizes?: ColumnSizes
}

/** What is asked of the columns of a group. */
export interface ColumnsQuestion extends Omit<BlocksQuestion, 'test'> {
  readonly group: string
  readonly condition: Condition
}

/** What is counted of a group. */
export interface ColumnsTally extends Bounds {
  readonly group: string
  readonly condition: Condition
  /** Columns whose texts are counted, each among the entries that meet a condition of its own. */
  readonly by: readonly { readonly facet: string; readonly condition: Condition }[]
}

/** What is known of columns without reading any. */
export interface KnownColumns {
  /** The share of a group's entries that meet all of some conditions; that of one of which nothing was read is given. */
  shareOf(group: string, conditions: readonly Condition[], expected: (condition: Condition) => number): number
  /** Bytes that a facet's value takes; undefined before one was read. */
  weightOf(facet: string): number | undefined
  /** How many chunks of places a row that is found takes. */
  chunksOf(group: string): number
}

/** What an answer tells beside itself. */
export interface ColumnsTold {
  /** Whether the columns hold every item: of those that a process has begun to fill anew, an answer lacks some. */
  readonly isReady: boolean
}

/** Sorted lists that are answered from columns. */
export interface OpenColumns extends LoadedLists, KnownColumns {
  /** Finds the places of entries that pass a test. */
  search(question: ColumnsQuestion): Promise<BlocksAnswer & ColumnsTold>
  /** Counts entries that pass a test, and those of each text of some columns. */
  tally(question: ColumnsTally): Promise<TallyAnswer & ColumnsTold>
}

const CONSISTENT = { consistent: true } as const
const EVENTUAL = { consistent: false } as const
const FIRST_GENERATION = 1
/** Reads of a question, where a write comes between them again and again. */
const MOST_READS = 20

export function openColumns(
  store: NodeStore,
  { namespace, waiting, clock, remembering = store, facets: columns, sizes = COLUMN_SIZES }: ColumnsContext,
): OpenColumns {
  const trying = { waiting, namespace, rebuiltAs: 'columns' } as const
  const facets = columns.length
  const samples = new ColumnSamples()
  let known: { readonly trees: Promise<TreesState>; readonly at: number } | undefined
  let generationSeen = FIRST_GENERATION
  /** RCU of reading the state that no answer has told yet. */
  let untold = 0
  const folding = { sizes, facets }
  const current = (ageMs = STATE_AGE_MS): Promise<TreesState> => {
    if (known !== undefined && Math.abs(clock() - known.at) < ageMs) return known.trees
    const trees = store.state().then(({ rcu, ...state }) => {
      untold += rcu
      generationSeen = state.generation || FIRST_GENERATION
      if (state.state !== 'ready') known = undefined
      return state
    })
    const reading = { trees, at: clock() }
    known = reading
    trees.catch(() => {
      if (known === reading) known = undefined
    })
    return trees
  }

  /** Reads anew where a write came between two reads, and then what every write has made. */
  async function asked<A extends Took>(
    group: string,
    ask: (tree: TreeName, reading: Reading) => Promise<A>,
  ): Promise<A & ColumnsTold> {
    const generation = generationSeen
    let reading: Reading = EVENTUAL
    const gaveUp = (_: number, cause: unknown): never => {
      throw damaged(trying, cause as Torn)
    }
    const [now, answer] = await retrying(waiting, { most: MOST_READS, steadyFrom: 4, gaveUp }, async () => {
      try {
        return await Promise.all([current(), ask({ generation, group }, reading)])
      } catch (error) {
        if (!(error instanceof Torn)) throw error
        reading = CONSISTENT
        return new Again(error)
      }
    })
    if (now.generation !== generation && now.generation !== 0) return asked(group, ask)
    const rcu = answer.rcu + untold
    untold = 0
    return { ...answer, rcu, isReady: now.state === 'ready' }
  }

  const learn = (group: string): Learn => ({
    seen: (read, blocks) => samples.learn(group, read, blocks),
    placed: (rows, chunks) => samples.placed(group, rows, chunks),
  })
  const find = (group: string, question: BlocksQuestion): Promise<BlocksAnswer & ColumnsTold> =>
    asked(group, (tree, reading) => searchBlocks(store, tree, question, reading, learn(group)))

  async function select(question: RankQuestion): Promise<RankAnswer> {
    const { groups, includes, lower, upper, ascending, offset } = question
    const isNone = lower !== undefined && upper !== undefined && comparePlaces(lower, upper) >= 0
    if (isNone) return { total: 0, place: undefined, rcu: 0, rounds: 0 }
    const test = cellTest(includes, facets)
    const several = groups.length > 1
    const answers = await Promise.all(
      groups.map((group) => {
        // Entries of several groups are put in order before they are passed over.
        const part = several ? { offset: 0, size: offset + 1 } : { offset, size: 1 }
        return find(group, { test, lower, upper, ascending, ...part, blocks: undefined })
      }),
    )
    const places = answers.flatMap((answer) => answer.places)
    if (several) places.sort((a, b) => (ascending ? comparePlaces(a, b) : comparePlaces(b, a)))
    return {
      total: sum(answers.map(({ total = 0 }) => total)),
      place: places[several ? offset : 0],
      rcu: sum(answers.map(({ rcu }) => rcu)),
      requests: sum(answers.map(({ requests }) => requests)),
      rounds: Math.max(...answers.map(({ rounds }) => rounds)),
    }
  }

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

  /** Edits blocks as they are remembered. What they tell that no commit would check, or that does not fit together, is read anew. */
  async function editRemembered(...edited: [tree: TreeName, steps: readonly TreeStep[], isFilling: boolean]) {
    if (remembering === store) return editGroup(store, ...edited)
    try {
      const edit = await editGroup(remembering, ...edited)
      if (edit.isGuarded && edit.overdue.length === 0) return edit
    } catch (error) {
      if (!(error instanceof Torn)) throw error
    }
    return editGroup(store, ...edited)
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
      const writes = foldBlock(whole, rows, { ...folding, most: MOST_FOLDED, previous })
      // Other processes and this one's memory learn of it by its revision.
      const made = await remembering.commit({ edits: [{ tree, writes }], trees })
      if (made === 'too large') throw tooLargeToFold(namespace, tree, rows.length)
    } catch (error) {
      if (!(error instanceof Torn)) throw error
    }
  }

  const target: ChangesTarget<readonly GroupEdit[]> = {
    mostSteps: Math.min(store.limits.nodes, 90),
    mark: (shardId) => store.mark(shardId),
    edit: ({ state, generation }, steps) =>
      Promise.all(
        [...byGroup(steps)].map(([group, own]) => editRemembered({ generation, group }, own, state === 'filling')),
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

  return {
    search: ({ group, condition, ...question }) =>
      find(group, { ...question, test: conditionTest(condition, columns) }),
    tally({ group, condition, by, ...bounds }) {
      const question: TallyQuestion = {
        ...bounds,
        test: conditionTest(condition, columns),
        by: by.map((each) => ({
          column: columns.findIndex(({ name }) => name === each.facet),
          test: conditionTest(each.condition, columns),
        })),
      }
      return asked(group, (tree, reading) => tallyBlocks(store, tree, question, reading, learn(group)))
    },
    shareOf(group, conditions, expected) {
      const tests = conditions.map((condition) => conditionTest(condition, columns))
      return samples.shareOf(group, tests, (test) => expected(conditions[test] as Condition))
    },
    chunksOf: (group) => samples.chunksOf(group),
    weightOf: (facet) => samples.weightOf(columns.findIndex(({ name }) => name === facet)),
    select,
    async state() {
      const { state } = await current()
      return shownState(state === 'ready' ? state : (await current(0)).state)
    },
    full: () => store.full(),
    async create() {
      await store.create()
      known = undefined
    },
    async fill(): Promise<ListsFilling> {
      const generation = await store.begin()
      known = undefined
      const trees = { state: 'filling', generation } as const
      return {
        add: (entries) => fillColumns(store, trying, trees, entries, folding),
        async finish() {
          await store.finish(generation)
          known = undefined
        },
        isGivenUp: (key) => store.isGivenUp(key, generation),
      }
    },
    forget() {
      known = undefined
    },
    apply: (shardId, changes) => applyChanges(target, trying, shardId, changes),
    inspect: async () => inspectColumns(store, (await store.state()).generation, facets, trying),
    async validate(group) {
      const { generation } = await store.state()
      await validateColumns(store, { generation, group }, facets)
    },
  }
}

/** What steps write of a group. */
interface GroupEdit {
  readonly edit: TreeEdit
  /** Blocks whose columns are to be written afterwards, and those where that has to be done first. */
  readonly full: readonly string[]
  readonly overdue: readonly string[]
  /** Whether each step writes its block, so that the commit is refused where another write was there. */
  readonly isGuarded: boolean
}

function tooLargeToFold(namespace: string, { group }: TreeName, rows: number): LapidaryError {
  const message = `${rows} entries of ${group} in ${namespace} are more than one transaction takes; take facets of long values out of the declaration`
  return new LapidaryError('unprocessable', message, { details: { group, rows } })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
