import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Layout, List } from '../layouts/layout.ts'
import type { Collection, Leaderboard } from '../model/collection.ts'
import type { FacetValue } from '../model/facet.ts'
import { unescapeComponent } from '../model/key-text.ts'
import { facetText } from '../model/query.ts'
import { keyEntry } from '../streams/guarded-write.ts'
import type { TargetKey } from '../streams/projection.ts'
import type { Entry } from '../table/entry.ts'
import { counterText, counterTexts, STATISTICS_SORT_KEY, statisticsShape, TOTAL } from './statistics-shape.ts'

/** Counts up to a trillion, inverted, so that ascending order is most first and, among equals, by scope. */
const MOST = 999_999_999_999
const COUNT_DIGITS = 12

interface LeaderboardOptions {
  readonly collection: Collection
  readonly layout: Layout
  readonly tableName: string
}

/**
 * The leaderboard items that follow from a statistics item. They are absolute and go with its guarded write, so they can't
 * differ from it; a count of 0 has none.
 */
export function leaderboardWrites(
  { collection, layout, tableName }: LeaderboardOptions,
  statistics: TargetKey,
  before: Entry | undefined,
  after: Entry | undefined,
): readonly TransactWriteItem[] {
  const index = layout.overloadable
  if (index === undefined) return []
  const scope = unescapeComponent(statistics.PK.slice(collection.scope.name.length + 1))
  const suffix = statistics.SK.slice(STATISTICS_SORT_KEY.length)
  return collection.leaderboards.flatMap((board): TransactWriteItem[] => {
    const count = boardCount(collection, board, after)
    if (count === boardCount(collection, board, before)) return []
    const Key = keyEntry({ PK: statistics.PK, SK: `L#${board.name}${suffix}` })
    if (count <= 0) return [{ Delete: { TableName: tableName, Key } }]
    const keys = {
      [index.partitionKey]: { S: partitionOf(collection, board, suffix, shardOf(scope, board.shards)) },
      [index.sortKey]: { S: `${String(MOST - count).padStart(COUNT_DIGITS, '0')}#${scope}` },
    }
    return [{ Put: { TableName: tableName, Item: { ...Key, ...keys } } }]
  })
}

/** The lists, one for each shard, whose merge is a board. */
export function leaderboardLists(
  collection: Collection,
  layout: Layout,
  board: Leaderboard,
  byValues: readonly FacetValue[],
): readonly List[] {
  const index = layout.overloadable
  if (index === undefined) return []
  const suffix = byValues.map((value) => `#${facetText(value)}`).join('')
  return Array.from({ length: board.shards }, (_, shard) => ({
    index: index.name,
    label: `LEADERS${suffix}/${board.name}/${shard}`,
    partition: partitionOf(collection, board, suffix, shard),
    prefix: '',
    holds: {},
  }))
}

/** The scope and count that an entry's sort key tells. */
export function leaderboardEntry(position: string): { readonly scope: string; readonly count: number } {
  return { count: MOST - Number(position.slice(0, COUNT_DIGITS)), scope: position.slice(COUNT_DIGITS + 1) }
}

function partitionOf({ name }: Collection, board: Leaderboard, suffix: string, shard: number): string {
  return `LEADERS${suffix}/${name}/${board.name}/${shard}`
}

function boardCount(collection: Collection, { where }: Leaderboard, statistics: Entry | undefined): number {
  if (statistics === undefined) return 0
  if (Object.keys(where).length === 0) return Number(statistics[TOTAL]?.N ?? 0)
  const wanted = statisticsShape(collection).counted.map((facet) => where[facet]?.map(counterText))
  return Object.entries(statistics).reduce((sum, [name, value]) => {
    const texts = counterTexts(name)
    const counts = texts?.every((text, i) => wanted[i]?.includes(text) ?? true) ?? false
    return counts ? sum + Number(value.N) : sum
  }, 0)
}

/** FNV-1a, 32 bits: spreads scopes evenly, and the same on every machine. */
function shardOf(scope: string, shards: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(scope)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % shards
}
