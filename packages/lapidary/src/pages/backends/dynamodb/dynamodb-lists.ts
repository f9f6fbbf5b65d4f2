import type { TableClient } from '../../../table/table-client.ts'
import type { ListEntry, ListsFilling, PageStore, RankAnswer, RankQuestion, SortedLists } from '../../sorted-lists.ts'
import { applyChanges, fillTrees } from './apply.ts'
import { createState, enterState, readState, shownState, type TreesState } from './lists-state.ts'
import { treePartition, treesPrefix } from './nodes.ts'
import { readUpper } from './read-tree.ts'
import { selectInTree } from './select.ts'
import { validateTree } from './validate.ts'

/** How old the state may be that a reader goes by: trees that are replaced stay in the table for longer. */
const STATE_AGE_MS = 5_000
const FIRST_GENERATION = 1
/** What the store is called. */
export const SEGMENTS = 'dynamodb'
const EVENTUAL = { consistent: false } as const

/**
 * Sorted lists in the table itself: for each scope a tree of two levels whose nodes are items of 1 KB, and for each shard the last
 * change that is in, written with it in one transaction.
 *
 * @example
 * ```ts run
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, derived: { pages: segments() } })
 * ```
 */
export function segments(): PageStore {
  return { name: SEGMENTS, open: ({ table, namespace, clock }) => dynamodbLists(table, namespace, clock) }
}

/**
 * Gives the lists of a namespace up, before the change stream is followed by a process that does not keep them: they would miss what it
 * passes over. Nothing happens where there are none.
 */
export async function giveUpSegments(table: TableClient, namespace: string, now: number): Promise<void> {
  const { state, generation } = await readState(table, namespace)
  if (state !== 'absent') await enterState(table, namespace, { state: 'absent', generation }, now)
}

function dynamodbLists(table: TableClient, namespace: string, clock: () => number): SortedLists {
  let known: { readonly trees: TreesState; readonly at: number } | undefined
  const current = async (): Promise<TreesState & { readonly rcu: number }> => {
    if (known !== undefined && clock() - known.at < STATE_AGE_MS) return { ...known.trees, rcu: 0 }
    const at = clock()
    const trees = await readState(table, namespace)
    known = { trees, at }
    return trees
  }

  /** The state is asked for beside the first read, so that a process which has just begun answers in as many rounds. */
  async function select(question: RankQuestion): Promise<RankAnswer> {
    const expected = known?.trees.generation || FIRST_GENERATION
    const partition = treePartition(namespace, expected, question.group)
    const [{ generation, rcu }, upper] = await Promise.all([current(), readUpper(table, partition, EVENTUAL)])
    if (generation !== expected && generation !== 0) return select(question)
    const answer = await selectInTree(table, partition, question, upper)
    return { ...answer, rcu: answer.rcu + rcu }
  }

  return {
    name: SEGMENTS,
    select,
    state: async () => shownState((await current()).state),
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
    async validate(group) {
      const { generation } = await readState(table, namespace)
      await validateTree(table, treePartition(namespace, generation, group))
    },
    close: async () => undefined,
  }
}
