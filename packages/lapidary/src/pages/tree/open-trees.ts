import { keepLatest } from '../../planner/keep-latest.ts'
import type { Waiting } from '../../table/retrying.ts'
import type { LoadedLists } from '../loaded-lists.ts'
import type { RankAnswer, RankQuestion } from '../sorted-lists.ts'
import { applyChanges, byGroup, type ChangesTarget, passChanges } from './apply.ts'
import { type Edit, editTree } from './edit.ts'
import { editRemembered } from './edit-remembered.ts'
import { fillTrees } from './fill.ts'
import { foldTop } from './fold-top.ts'
import { inspectTrees } from './inspect-trees.ts'
import type { CommitResult, MarkMove, NodeStore, Reading, TreeName, TreesState } from './node-store.ts'
import type { OpenTree } from './searched-tree.ts'
import { SeenTrees, treesMaking } from './seen-trees.ts'
import { selectInTrees } from './select.ts'
import { sizeOf, sizeOfTop, type TreeSize, treePrice } from './tree-price.ts'
import { validateTree } from './validate.ts'

const EVENTUAL = { consistent: false } as const
const CONSISTENT = { consistent: true } as const
/** Groups whose size is remembered, for prices. */
const MOST_SIZES = 1_000

/** What trees are opened with beside their store. */
export interface TreesContext {
  readonly namespace: string
  readonly waiting: Waiting
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The same store, through which changes are taken in: one that remembers nodes may give some that another process has written since. */
  readonly remembering?: NodeStore
}

/** Sorted lists in counted trees, a tree for each group, whose nodes a store has. */
export function openTrees(
  store: NodeStore,
  { namespace, waiting, clock, remembering = store }: TreesContext,
): LoadedLists {
  const trying = { waiting, namespace }
  const sizes = new Map<string, TreeSize>()
  const seen = new SeenTrees(() => store.state(), clock)

  /** Asks for the state beside the first read, so that a process which has just begun answers in as many rounds. */
  async function select(question: RankQuestion): Promise<RankAnswer> {
    const { generation } = seen
    const readTops = (reading: Reading): Promise<readonly OpenTree[]> =>
      Promise.all(
        question.groups.map(async (group) => {
          const tree = { generation, group }
          return { tree, top: await store.top(tree, reading) }
        }),
      )
    const [now, trees] = await Promise.all([seen.current(), readTops(EVENTUAL)])
    if (seen.isOther(now, generation)) return select(question)
    for (const { tree, top } of trees) keepLatest(sizes, tree.group, sizeOfTop(top), MOST_SIZES)
    let [read, answer] = [trees, await selectInTrees(store, trees, question, EVENTUAL)]
    for (let left = Math.max(1, store.mostRereads); left > 0; left--) {
      // The reads were of different moments. A place is told all the same, unless the branch had nothing left.
      const isFound = answer.place !== undefined || question.offset >= answer.total
      if (isFound && (store.mostRereads === 0 || !answer.isTorn)) break
      read = await readTops(CONSISTENT)
      const { rcu, rounds } = answer
      const told = await selectInTrees(store, read, question, CONSISTENT)
      answer = { ...told, rcu: told.rcu + rcu, rounds: told.rounds + rounds }
    }
    const { isTorn: _, ...told } = answer
    const asOf = read.find(({ top }) => top.asOf !== undefined)?.top.asOf
    return { ...told, ...(asOf === undefined ? {} : { asOf }) }
  }

  /** Commits edits, and makes the trees higher whose top rows have become too long. */
  async function commit(
    edits: readonly Edit[],
    trees: TreesState,
    { mark, through = store }: { readonly mark?: MarkMove; readonly through?: NodeStore } = {},
  ): Promise<CommitResult> {
    const written = edits.filter(({ writes, names }) => writes.length > 0 || names !== undefined)
    // Changes that take each other back are taken in too, so that the first of them does not come again.
    if (written.length === 0 && mark === undefined) return 'made'
    const result = await through.commit({ edits: written, trees, mark })
    if (result === 'made') for (const { tree, isWider } of written) if (isWider) await fold(tree, trees)
    return result
  }

  /** Leaves it to the next change that makes the row longer, where another write comes between. */
  async function fold(tree: TreeName, trees: TreesState): Promise<void> {
    const writes = foldTop((await store.top(tree, CONSISTENT)).nodes, store.sizes)
    if (writes !== undefined) await store.commit({ edits: [{ tree, writes }], trees })
  }

  const target: ChangesTarget<readonly Edit[]> = {
    mostSteps: store.limits.steps,
    mark: (shardId) => store.mark(shardId),
    edit: ({ state, generation }, steps) =>
      Promise.all(
        [...byGroup(steps)].map(([group, own]) =>
          editRemembered(
            { store, remembering },
            (from) => editTree(from, { namespace, state, generation, group }, own),
            ({ isGuarded }) => isGuarded,
          ),
        ),
      ),
    commit: (edits, move) => commit(edits, move.from, { mark: move, through: remembering }),
  }

  return {
    select,
    price: ({ group, entries, ...shape }) => treePrice(sizes.get(group) ?? sizeOf(entries), shape),
    state: () => seen.shown(),
    full: () => store.full(),
    ...treesMaking(store, seen, (trees, entries) =>
      fillTrees(store, trying, trees, entries, (edits) => commit(edits, trees)),
    ),
    forget: () => seen.forget(),
    apply: (shardId, changes) => applyChanges(target, trying, shardId, changes),
    pass: (shardId, to) => passChanges(target, trying, shardId, to),
    inspect: async () => inspectTrees(store, (await store.state()).generation),
    async validate(group) {
      const { generation } = await store.state()
      await validateTree(store, { generation, group })
    },
  }
}
