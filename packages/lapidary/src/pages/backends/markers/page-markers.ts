import { LapidaryError } from '../../../model/errors.ts'
import type { TableClient } from '../../../table/table-client.ts'
import type { PageStore, RankAnswer, RankQuestion, SortedLists } from '../../sorted-lists.ts'
import { applyChanges, byGroup, type TreesEditor } from '../dynamodb/apply.ts'
import { createState, enterState, readState, shownState, type TreesState } from '../dynamodb/lists-state.ts'
import { treePartition } from '../dynamodb/nodes.ts'
import { editTail, type MarkerSettings } from './edit-tail.ts'
import { fillMarkers, logRemovals, logWrites } from './filling.ts'
import { inspectBlocks } from './inspect-blocks.ts'
import { selectInBlocks } from './select-block.ts'
import { validateBlocks } from './validate.ts'

/** What `pageMarkers` takes. */
export interface PageMarkersOptions {
  /** Each so-manyth entry is stamped with how many come before it; 50 when not given, at most 500. */
  readonly every?: number
  /**
   * What happens to a change that is not at the newest end: a deletion, another rating, a comment of yesterday. `mend`, the
   * default, writes the blocks from there on anew; `refuse` raises `unprocessable`.
   */
  readonly onDisorder?: 'mend' | 'refuse'
  /** Blocks that one change may make to be written anew; one further back is refused. 40 when not given, at most 45. */
  readonly mostMended?: number
  /** Told how many blocks were written anew, each time that some were. */
  readonly onMend?: (blocks: number) => void
}

/** What the store is called. */
export const PAGE_MARKERS = 'page-markers'
const MOST_EVERY = 500
/** With twice as many, of a change that leaves one scope for another, a transaction has room for names and marks. */
const MOST_MENDED = 45
/** How old the state may be that a reader goes by: blocks that are replaced stay in the table for longer. */
const STATE_AGE_MS = 5_000
const FIRST_GENERATION = 1

/**
 * Page markers in the table itself: entries in blocks from the oldest on, each stamped with how many come before it. What is
 * appended writes one block; what changes further back writes all blocks after it anew, up to a bound, or is refused.
 *
 * @throws {LapidaryError} `declaration_invalid` for options out of their bounds.
 * @example
 * ```ts run
 * const pages = pageMarkers({ every: 100, onMend: (blocks) => console.log(`${blocks} blocks written anew`) })
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, derived: { pages } })
 * ```
 */
export function pageMarkers(options: PageMarkersOptions = {}): PageStore {
  const { every = 50, onDisorder = 'mend', mostMended = 40, onMend } = options
  requireWhole('every', every, 1, MOST_EVERY)
  requireWhole('mostMended', mostMended, 0, MOST_MENDED)
  return {
    name: PAGE_MARKERS,
    open: ({ table, namespace, clock }) =>
      // Apart from segments of the same collection.
      openLists(table, markersNamespace(namespace), clock, { every, onDisorder, mostMended }, onMend),
  }
}

export function markersNamespace(namespace: string): string {
  return `markers:${namespace}`
}

function requireWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new LapidaryError(
    'declaration_invalid',
    `${name} of page markers is ${value}; it is a whole number from ${least} to ${most}`,
  )
}

function openLists(
  table: TableClient,
  namespace: string,
  clock: () => number,
  settings: MarkerSettings,
  onMend: PageMarkersOptions['onMend'],
): SortedLists {
  let known: { readonly state: TreesState; readonly at: number } | undefined
  const current = async (): Promise<TreesState & { readonly rcu: number }> => {
    if (known !== undefined && clock() - known.at < STATE_AGE_MS) return { ...known.state, rcu: 0 }
    const at = clock()
    const state = await readState(table, namespace)
    // What is not built yet is looked at again, so that it is shown as soon as it is.
    if (state.state === 'ready') known = { state, at }
    return state
  }
  const forget = (): void => {
    known = undefined
  }

  const edit: TreesEditor = async (client, { generation, state }, steps) => {
    if (state === 'filling') return { writes: logWrites(client, namespace, generation, steps) }
    const edits = await Promise.all(
      [...byGroup(steps)].map(([group, own]) =>
        editTail(client, treePartition(namespace, generation, group), own, settings),
      ),
    )
    const mended = edits.reduce((sum, each) => sum + each.mended, 0)
    const writes = edits.flatMap((each) => each.writes)
    return {
      writes: state === 'settling' ? [...writes, ...logRemovals(client, namespace, generation, steps)] : writes,
      made: async () => {
        if (mended > 0) onMend?.(mended)
      },
    }
  }

  async function select(question: RankQuestion): Promise<RankAnswer> {
    const expected = known?.state.generation || FIRST_GENERATION
    const partition = treePartition(namespace, expected, question.group)
    const [{ generation, rcu }, answer] = await Promise.all([
      current(),
      selectInBlocks(table, partition, question, false),
    ])
    if (generation !== expected && generation !== 0) return select(question)
    if (answer !== 'torn') return { ...answer, rcu: answer.rcu + rcu }
    // Blocks were mended between two reads.
    const again = await selectInBlocks(table, partition, question, true)
    if (again !== 'torn') return { ...again, rcu: again.rcu + rcu }
    throw new LapidaryError('unavailable', 'the page markers change too fast to be read; try again')
  }

  return {
    name: PAGE_MARKERS,
    select,
    state: async () => shownState((await current()).state),
    async create() {
      await createState(table, namespace)
      forget()
    },
    async fill() {
      const generation = (await readState(table, namespace)).generation + 1
      await enterState(table, namespace, { state: 'filling', generation }, clock())
      forget()
      return fillMarkers(table, { namespace, generation, settings, clock, entered: forget })
    },
    apply: (shardId, changes) => applyChanges(table, namespace, shardId, changes, clock, edit),
    async inspect() {
      const { generation } = await readState(table, namespace)
      return inspectBlocks(table, treePartition(namespace, generation, ''), settings.every)
    },
    async validate(group) {
      const { generation } = await readState(table, namespace)
      await validateBlocks(table, treePartition(namespace, generation, group), settings.every)
    },
    close: async () => undefined,
  }
}
