import { keepLatest } from '../../../planner/keep-latest.ts'
import type { TableClient } from '../../../table/table-client.ts'
import type { LoadedLists } from '../../loaded-lists.ts'
import {
  type ListEntry,
  type ListsFilling,
  type RankAnswer,
  type RankQuestion,
  STATE_AGE_MS,
} from '../../sorted-lists.ts'
import { applyChanges, fillTrees } from './apply.ts'
import { inspectTrees } from './inspect-trees.ts'
import { createState, enterState, readFull, readState, shownState, type TreesState } from './lists-state.ts'
import { treePartition, treesPrefix } from './nodes.ts'
import { readUpper, type TreeReading, type Upper } from './read-tree.ts'
import type { OpenTree } from './searched-tree.ts'
import { selectInTrees } from './select.ts'
import { sizeOf, type TreeSize, treePrice } from './tree-price.ts'
import { validateTree } from './validate.ts'

const FIRST_GENERATION = 1
const EVENTUAL = { consistent: false } as const
const CONSISTENT = { consistent: true } as const
/** Groups whose size is remembered, for prices. */
const MOST_SIZES = 1_000

export function openTrees(table: TableClient, namespace: string, clock: () => number): LoadedLists {
  const sizes = new Map<string, TreeSize>()
  let known: { readonly trees: Promise<TreesState>; readonly at: number } | undefined
  let generationSeen = FIRST_GENERATION
  /** RCU of reading the state that no answer has told yet. */
  let untold = 0
  const current = (ageMs = STATE_AGE_MS): Promise<TreesState> => {
    if (known !== undefined && Math.abs(clock() - known.at) < ageMs) return known.trees
    const trees = readState(table, namespace).then(({ rcu, ...state }) => {
      untold += rcu
      generationSeen = state.generation || FIRST_GENERATION
      // What is built next is used at once.
      if (state.state !== 'ready') known = undefined
      return state
    })
    // One read for all who ask; what failed is asked again.
    const reading = { trees, at: clock() }
    known = reading
    trees.catch(() => {
      if (known === reading) known = undefined
    })
    return trees
  }

  /** The state is asked for beside the first read, so that a process which has just begun answers in as many rounds. */
  async function select(question: RankQuestion): Promise<RankAnswer> {
    const expected = generationSeen
    const readTrees = (reading: TreeReading): Promise<readonly OpenTree[]> =>
      Promise.all(
        question.groups.map(async (group) => {
          const partition = treePartition(namespace, expected, group)
          return { group, partition, upper: await readUpper(table, partition, reading) }
        }),
      )
    const [{ generation }, trees] = await Promise.all([current(), readTrees(EVENTUAL)])
    if (generation !== expected && generation !== 0) return select(question)
    for (const { group, upper } of trees) keepLatest(sizes, group, sizeOfTree(upper), MOST_SIZES)
    let answer = await selectInTrees(table, trees, question, EVENTUAL)
    if (answer.place === undefined && question.offset < answer.total) {
      // The two reads were of different moments, and the branch had nothing left.
      const again = await readTrees(CONSISTENT)
      const { rcu, rounds } = answer
      const told = await selectInTrees(table, again, question, CONSISTENT)
      answer = { ...told, rcu: told.rcu + rcu, rounds: told.rounds + rounds }
    }
    const rcu = answer.rcu + untold
    untold = 0
    return { ...answer, rcu }
  }

  return {
    select,
    price: ({ group, entries, ...shape }) => treePrice(sizes.get(group) ?? sizeOf(entries), shape),
    async state() {
      const { state } = await current()
      // What was built a moment ago by a rebuild is told at once.
      return shownState(state === 'ready' ? state : (await current(0)).state)
    },
    full: () => readFull(table, namespace),
    async create() {
      await createState(table, namespace)
      known = undefined
    },
    async fill(): Promise<ListsFilling> {
      const generation = (await readState(table, namespace)).generation + 1
      await enterState(table, namespace, { state: 'filling', generation }, clock())
      known = undefined
      return {
        add: (entries: readonly ListEntry[]) => fillTrees(table, { namespace, generation, state: 'filling' }, entries),
        async finish() {
          await enterState(table, namespace, { state: 'ready', generation }, clock())
          known = undefined
        },
        isGivenUp({ PK }) {
          const prefix = treesPrefix(namespace)
          return PK.startsWith(prefix) && !PK.startsWith(treePartition(namespace, generation, ''))
        },
      }
    },
    apply: (shardId, changes) => applyChanges(table, namespace, shardId, changes, clock),
    async inspect() {
      const { generation } = await readState(table, namespace)
      return inspectTrees(table, treePartition(namespace, generation, ''))
    },
    async validate(group) {
      const { generation } = await readState(table, namespace)
      await validateTree(table, treePartition(namespace, generation, group))
    },
  }
}

function sizeOfTree({ branches }: Upper): TreeSize {
  return { leaves: branches.reduce((sum, { leaves }) => sum + leaves, 0), branches: branches.length }
}
