import type { NodeStore, Reading, TreeName } from '../tree/node-store.ts'
import { textsOf } from './cell-columns.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { Column } from './column.ts'
import { type Bounds, cutBlocks, passing } from './cut-blocks.ts'
import type { Took } from './match.ts'
import { readBlocks } from './read-blocks.ts'
import type { RowTest } from './row-test.ts'
import type { Learn } from './search-blocks.ts'
import { type PartsAsked, PartsTally, type PartTally } from './tally-parts.ts'

/** What is counted of the entries of a group. */
export interface TallyQuestion extends Bounds {
  readonly test: RowTest
  /** Columns whose texts are counted, each among the entries that pass a test of its own. */
  readonly by: readonly { readonly column: number; readonly test: RowTest }[]
  /** Parts of the range that are counted by themselves too. */
  readonly parts?: PartsAsked | undefined
}

export interface TallyAnswer extends Took {
  readonly total: number
  /** How many entries have each text, in the order of `by`. */
  readonly counts: readonly ReadonlyMap<string, number>[]
  /** None where none were asked for. */
  readonly parts: readonly PartTally[]
}

/**
 * Counts entries, and those of each text of some columns.
 *
 * @throws {Torn} where a write came between two reads.
 */
export async function tallyBlocks(
  store: NodeStore,
  tree: TreeName,
  { test, by, parts: asParts, ...bounds }: TallyQuestion,
  reading: Reading,
  learn: Learn,
): Promise<TallyAnswer> {
  const chunks = new ChunkReader(store, tree, reading)
  const beside = by.flatMap((each) => [each.column, ...each.test.columns])
  const columns = [...new Set([...test.columns, ...beside, ...(asParts?.columns ?? [])])]
  const asked = { columns, ...bounds, ascending: true, beyond: undefined, most: undefined }
  const { blocks, ...took } = await readBlocks(store, tree, asked, reading)
  learn.seen(columns, blocks)
  const counts = by.map(() => new Map<string, number>())
  let total = 0
  const cutAtBounds = await cutBlocks(blocks, bounds, chunks)
  const parts = asParts && new PartsTally(asParts, cutAtBounds, chunks)
  for (const { read, ...cut } of cutAtBounds) {
    const columnOf = (column: number): Column => read.columns[columns.indexOf(column)] as Column
    const passed = (each: RowTest) => {
      const own = read.columns.length === 0 ? [] : each.columns.map(columnOf)
      return passing({ read: { ...read, columns: own }, ...cut }, each, bounds)
    }
    const found = passed(test)
    total += found.count
    await parts?.add({ read, ...cut }, found, columnOf)
    by.forEach(({ column, test: own }, i) => {
      const { mask, changed } = passed(own)
      const to = counts[i] as Map<string, number>
      const add = (text: string, count: number): void => void to.set(text, (to.get(text) ?? 0) + count)
      if (read.columns.length > 0) for (const [text, count] of columnOf(column).tally(mask)) add(text, count)
      for (const { cell = '' } of changed) add(textsOf(cell)[column] ?? '', 1)
    })
  }
  const { rcu, requests } = chunks.took
  return {
    ...{ total, counts, parts: parts?.parts ?? [], rcu: took.rcu + rcu, requests: took.requests + requests },
    rounds: took.rounds + Number(requests > 0),
  }
}
