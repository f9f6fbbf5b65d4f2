import { hash } from 'node:crypto'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { CollectionContext } from '../operations/context.ts'
import { leaderboardItems, statisticsOfLeaderboard } from '../projections/leaderboard.ts'
import { countsAfter, isItemOf, statisticsProjection } from '../projections/statistics.ts'
import { isCounter, STATISTICS_SORT_KEY } from '../projections/statistics-shape.ts'
import type { Contribution, TargetKey } from '../streams/projection.ts'
import type { Entry } from '../table/entry.ts'

/** Counters by name. */
export type Counts = Readonly<Record<string, number>>

/**
 * What is kept of one collection, in units: a statistics item and the leaderboard items that follow from it. The runner
 * writes a unit in one transaction, so a unit is right or wrong as a whole.
 */
export interface DerivedCollection {
  /** The collection's own name: `COMMENT`. */
  readonly name: string
  /** What an item counts in; nothing for what is no item of the collection. Throws for an item that can't be counted. */
  contributions(key: TargetKey, entry: Entry): readonly Contribution[]
  isItem(key: TargetKey): boolean
  /** The statistics item of the unit that an item of derived data belongs to; undefined for anything else. */
  unitOf(key: TargetKey): TargetKey | undefined
  /** The leaderboard items that a unit with these counters has; undefined where there is none. */
  leaderboards(statistics: TargetKey, counters: Entry | undefined): ReadonlyMap<string, Entry | undefined>
  /** A statistics item with counts added to it; undefined when nothing is left. `at`: when they changed, if it is known. */
  added(before: Entry | undefined, delta: Counts, at: number): Record<string, AttributeValue> | undefined
}

export function derivedCollection({ collection, codec, layout, table }: CollectionContext): DerivedCollection {
  const projection = statisticsProjection({ collection, codec, layout, tableName: table.tableName })
  const prefix = `${collection.scope.name}#`
  return {
    name: collection.name,
    isItem: (key) => isItemOf(collection, { key }),
    contributions: (key, entry) =>
      projection.contributions({ key, after: entry, before: undefined, sequenceNumber: '', at: 0 }),
    unitOf(key) {
      if (!key.PK.startsWith(prefix)) return undefined
      const isStatistics = key.SK === STATISTICS_SORT_KEY || key.SK.startsWith(`${STATISTICS_SORT_KEY}#`)
      return isStatistics ? key : statisticsOfLeaderboard(key)
    },
    leaderboards: (statistics, counters) =>
      new Map(leaderboardItems({ collection, layout }, statistics, counters).map(({ key, entry }) => [key.SK, entry])),
    added: (before, counts, at) => countsAfter({ counts, at }, before),
  }
}

/** The counters of a statistics item that are not 0, by name, as texts: whatever is there, also when it is no number. */
export function counterTextsOf(entry: Entry | undefined): ReadonlyMap<string, string> {
  const counters = Object.entries(entry ?? {}).filter(([name, { N }]) => isCounter(name) && N !== '0')
  return new Map(counters.map(([name, value]) => [name, value.N ?? JSON.stringify(value)]))
}

/** What has to be equal in two items for them to be the same derived data; of statistics the counters, of others all. */
export function heldText(key: TargetKey, entry: Entry | undefined): string {
  if (entry === undefined) return ''
  const isStatistics = key.SK === STATISTICS_SORT_KEY || key.SK.startsWith(`${STATISTICS_SORT_KEY}#`)
  const held: readonly (readonly [string, string])[] = isStatistics
    ? [...counterTextsOf(entry)]
    : Object.entries(entry).map(([name, value]) => [name, value.S ?? JSON.stringify(value)])
  return JSON.stringify([...held].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** {@link heldText} in 96 bits, to be kept for many items. */
export function heldDigest(key: TargetKey, entry: Entry): string {
  return hash('sha256', heldText(key, entry), 'base64url').slice(0, 16)
}

/** Counters as a statistics item holds them; undefined when all are 0. */
export function countersEntry(counts: Counts): Entry | undefined {
  const held = Object.entries(counts).filter(([, count]) => count !== 0)
  return held.length === 0 ? undefined : Object.fromEntries(held.map(([name, count]) => [name, { N: String(count) }]))
}
