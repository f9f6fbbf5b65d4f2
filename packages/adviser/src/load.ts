import { type Collection, type Entry, type Item, LapidaryError, type Layout, type Plan, type Query } from 'lapidary'
import {
  type CollectionLayout,
  createEntryCodec,
  type Estimates,
  entryBytes,
  INTERNAL_VERSION,
  planQuery,
  planSources,
} from 'lapidary/internal'
import { meanPageRcu } from './drawn-page.ts'
import { listEstimates, type PlacedItem } from './list-estimates.ts'
import type { Population } from './population.ts'
import type { SearchTime } from './search-time.ts'
import type { CheckedWorkload, ScopeShare } from './workload.ts'
import { indexBytes, type PartitionUnits, writeUnits } from './write-units.ts'

/** The load of a workload on DynamoDB in one layout. */
export interface Load {
  /** Mean units of a write, and of a page. */
  readonly writeUnits: number
  readonly readUnits: number
  /** Write units by index; the table itself under the empty name. */
  readonly unitsOfIndexes: ReadonlyMap<string, number>
  /** Stored bytes of an item by index; the table itself under the empty name. */
  readonly bytesOfIndexes: ReadonlyMap<string, number>
  /** Mean read units of each query of the workload, in its order; infinite where the layout can't answer it. */
  readonly unitsOfQueries: readonly number[]
  /** Stored bytes of an item: all its entries, in the table and in its indexes, with 100 bytes more for each. */
  readonly storedBytes: number
  /** Whether every query has an answer. */
  readonly answersAll: boolean
  readonly hottest: HotPartition
}

/** The partition that takes the largest share of what one can take. */
export interface HotPartition {
  /** The index; `table` for the table itself. */
  readonly index: string
  readonly partition: string
  readonly writeUnitsPerSecond: number
  readonly readUnitsPerSecond: number
  /** The share of 1000 write units or of 3000 read units a second, whichever is more; above 1 DynamoDB throttles. */
  readonly share: number
}

const PARTITION_WRITES = 1000
const PARTITION_READS = 3000
/** DynamoDB charges this many bytes more for each item and each entry of an index. */
const STORED_BESIDE = 100

export async function loadOf(
  collection: Collection,
  layout: Layout,
  workload: CheckedWorkload,
  population: Population,
  time: Pick<SearchTime, 'breathe'>,
): Promise<Load> {
  const lists = layout.of(collection)
  // The packed size of a made-up text tells nothing of real ones.
  const codec = createEntryCodec(workload.items === undefined ? { ...collection, codec: undefined } : collection)
  const entries = (item: Item, version: number): PlacedItem['entries'] =>
    lists.entriesOf(item, {
      ...codec.toEntry(item),
      [INTERNAL_VERSION]: { N: String(version) },
    })
  const placed: PlacedItem[] = []
  const written = new Units()
  for (const { item, share } of population.items) {
    await time.breathe()
    const made = entries(item, 1)
    placed.push({ item, share, entries: made })
    if (workload.create > 0) written.add(share * workload.create, writeUnits(lists, [], made))
    if (workload.delete > 0) written.add(share * workload.delete, writeUnits(lists, made, []))
    for (const [attribute, of] of workload.edit) {
      for (const edited of population.edited(item, attribute))
        written.add(share * of * edited.share, writeUnits(lists, made, entries(edited.item, 2)))
    }
  }

  const unitsOfQueries = workload.queries.map(() => 0)
  const estimates = listEstimates(collection, lists, population, placed)
  const read = workload.scopes.map(() => new Units())
  for (const [i, { query, share }] of workload.queries.entries()) {
    const plan = planOf(lists, query, estimates)
    for (const [s, scope] of workload.scopes.entries()) {
      await time.breathe()
      const rcu = plan === undefined ? Number.POSITIVE_INFINITY : meanPageRcu(plan, scope.items, population)
      unitsOfQueries[i] = (unitsOfQueries[i] ?? 0) + scope.reads * rcu
      if (plan !== undefined) read[s]?.add(share, unitsOfPlan(plan, rcu))
    }
  }
  const bytes = storedBytes(lists, placed)
  return {
    writeUnits: written.total,
    readUnits: workload.queries.reduce(
      (sum, { share }, i) => sum + (share === 0 ? 0 : share * (unitsOfQueries[i] ?? 0)),
      0,
    ),
    answersAll: unitsOfQueries.every(Number.isFinite),
    unitsOfIndexes: written.byIndex(),
    unitsOfQueries,
    storedBytes: [...bytes.values()].reduce((sum, of) => sum + of, 0),
    bytesOfIndexes: bytes,
    hottest: hottestOf(workload, written, read),
  }
}

/** Units by index and partition. */
class Units {
  total = 0
  readonly byPartition = new Map<string, PartitionUnits>()

  add(weight: number, charged: readonly PartitionUnits[]): void {
    for (const { index, partition, units } of charged) {
      this.total += weight * units
      const name = JSON.stringify([index, partition])
      const known = this.byPartition.get(name)?.units ?? 0
      this.byPartition.set(name, { index, partition, units: known + weight * units })
    }
  }

  byIndex(): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (const { index = '', units } of this.byPartition.values()) found.set(index, (found.get(index) ?? 0) + units)
    return found
  }
}

function unitsOfPlan(plan: Plan, pageRcu: number): readonly PartitionUnits[] {
  const sources = planSources(plan).map(({ source }) => source)
  const first = sources.reduce((sum, { rcu }) => sum + rcu, 0)
  // The expected cost of top-ups is spread over the sources as the first reads are.
  return sources.map(({ list, rcu }) => ({
    index: list.index,
    partition: list.partition || list.label,
    units: (pageRcu * rcu) / first,
  }))
}

/** Returns the plan of a query; undefined where no index can answer. */
function planOf(lists: CollectionLayout, query: Query, estimates: Estimates): Plan | undefined {
  try {
    return planQuery(lists, query, estimates)
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'query_not_plannable') return undefined
    throw error
  }
}

function storedBytes({ indexes }: CollectionLayout, placed: readonly PlacedItem[]): ReadonlyMap<string, number> {
  const mean = (bytesOf: (entry: Entry) => number): number => {
    const stored = (entry: Entry): number => (bytesOf(entry) === 0 ? 0 : bytesOf(entry) + STORED_BESIDE)
    const ofItem = ({ entries }: PlacedItem): number => entries.reduce((sum, entry) => sum + stored(entry), 0)
    return placed.reduce((sum, item) => sum + item.share * ofItem(item), 0)
  }
  const ofIndexes = indexes.map((index) => [index.name, mean((entry) => indexBytes(entry, index))] as const)
  return new Map([['', mean(entryBytes)], ...ofIndexes])
}

/** Finds the hottest partition of one scope of the busiest class. In the table itself items have partitions of their own. */
function hottestOf(workload: CheckedWorkload, written: Units, read: readonly Units[]): HotPartition {
  const { writesPerSecond, readsPerSecond, scopes } = workload
  let hottest: HotPartition = { index: '', partition: '', writeUnitsPerSecond: 0, readUnitsPerSecond: 0, share: -1 }
  scopes.forEach((scope: ScopeShare, i) => {
    const all = new Map([...written.byPartition, ...(read[i]?.byPartition ?? [])])
    for (const [name, { index, partition }] of all) {
      if (index === undefined) continue
      const writes = ((written.byPartition.get(name)?.units ?? 0) * writesPerSecond * scope.writes) / scope.scopes
      const reads = ((read[i]?.byPartition.get(name)?.units ?? 0) * readsPerSecond * scope.reads) / scope.scopes
      const share = Math.max(writes / PARTITION_WRITES, reads / PARTITION_READS)
      if (share > hottest.share)
        hottest = { index, partition, writeUnitsPerSecond: writes, readUnitsPerSecond: reads, share }
    }
  })
  return hottest
}
