import type { Condition } from '../../model/condition.ts'
import { Again, retrying } from '../../table/retrying.ts'
import type { LoadedLists } from '../loaded-lists.ts'
import { comparePlaces } from '../place.ts'
import type { RankAnswer, RankQuestion } from '../sorted-lists.ts'
import { applyChanges, damaged, passChanges } from '../tree/apply.ts'
import type { NodeStore, Reading, TreeName } from '../tree/node-store.ts'
import type { TreesContext } from '../tree/open-trees.ts'
import { SeenTrees, treesMaking } from '../tree/seen-trees.ts'
import { Torn } from '../tree/torn.ts'
import type { ColumnFacet } from './column-cells.ts'
import { ColumnSamples } from './column-samples.ts'
import { COLUMN_SIZES, type ColumnSizes } from './column-sizes.ts'
import { columnsTarget } from './columns-target.ts'
import { conditionTest } from './condition-test.ts'
import type { Bounds } from './cut-blocks.ts'
import { fillColumns } from './fill-columns.ts'
import { inspectColumns } from './inspect-columns.ts'
import type { Took } from './match.ts'
import { cellTest } from './row-test.ts'
import { type BlocksAnswer, type BlocksQuestion, type Learn, searchBlocks } from './search-blocks.ts'
import { type TallyAnswer, type TallyQuestion, tallyBlocks } from './tally-blocks.ts'
import type { PartsAsked } from './tally-parts.ts'
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
  /** Parts that are counted by themselves too, in each of them the texts of some columns. */
  readonly parts?: (Pick<PartsAsked, 'starts'> & { readonly facets: readonly string[] }) | undefined
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
/** Reads of a question, where a write comes between them again and again. */
const MOST_READS = 20

export function openColumns(
  store: NodeStore,
  { namespace, waiting, clock, remembering = store, facets: columns, sizes = COLUMN_SIZES }: ColumnsContext,
): OpenColumns {
  const trying = { waiting, namespace, rebuiltAs: 'columns' } as const
  const facets = columns.length
  const columnOf = (facet: string): number => columns.findIndex(({ name }) => name === facet)
  const samples = new ColumnSamples()
  const target = columnsTarget({ store, remembering, namespace, sizes, facets })
  const seen = new SeenTrees(() => store.state(), clock)

  /** Reads anew where a write came between two reads, and then what every write has made. */
  async function asked<A extends Took>(
    group: string,
    ask: (tree: TreeName, reading: Reading) => Promise<A>,
  ): Promise<A & ColumnsTold> {
    const { generation } = seen
    let reading: Reading = EVENTUAL
    const gaveUp = (_: number, cause: unknown): never => {
      throw damaged(trying, cause as Torn)
    }
    const [now, answer] = await retrying(waiting, { most: MOST_READS, steadyFrom: 4, gaveUp }, async () => {
      try {
        return await Promise.all([seen.current(), ask({ generation, group }, reading)])
      } catch (error) {
        if (!(error instanceof Torn)) throw error
        reading = CONSISTENT
        return new Again(error)
      }
    })
    if (seen.isOther(now, generation)) return asked(group, ask)
    return { ...answer, isReady: now.state === 'ready' }
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

  return {
    search: ({ group, condition, ...question }) =>
      find(group, { ...question, test: conditionTest(condition, columns) }),
    tally({ group, condition, by, parts, ...bounds }) {
      const question: TallyQuestion = {
        ...bounds,
        test: conditionTest(condition, columns),
        by: by.map((each) => ({ column: columnOf(each.facet), test: conditionTest(each.condition, columns) })),
        parts: parts && { starts: parts.starts, columns: parts.facets.map(columnOf) },
      }
      return asked(group, (tree, reading) => tallyBlocks(store, tree, question, reading, learn(group)))
    },
    shareOf(group, conditions, expected) {
      const tests = conditions.map((condition) => conditionTest(condition, columns))
      return samples.shareOf(group, tests, (test) => expected(conditions[test] as Condition))
    },
    chunksOf: (group) => samples.chunksOf(group),
    weightOf: (facet) => samples.weightOf(columnOf(facet)),
    select,
    state: () => seen.shown(),
    full: () => store.full(),
    ...treesMaking(store, seen, (trees, entries) => fillColumns(store, trying, trees, entries, { sizes, facets })),
    forget: () => seen.forget(),
    apply: (shardId, changes) => applyChanges(target, trying, shardId, changes),
    pass: (shardId, to) => passChanges(target, trying, shardId, to),
    inspect: async () => inspectColumns(store, (await store.state()).generation, facets, trying),
    async validate(group) {
      const { generation } = await store.state()
      await validateColumns(store, { generation, group }, facets)
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}
