import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { CollectionLayout } from '../../layouts/layout.ts'
import { positionText } from '../../layouts/position-text.ts'
import type { Collection, Leaderboard } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
import { unescapeComponent } from '../../model/key-text.ts'
import { counterText, counterTexts, STATISTICS_SORT_KEY, statisticsShape, TOTAL } from '../counts/counts-shape.ts'
import { keyEntry } from '../guarded-write.ts'
import type { TargetKey } from '../projection.ts'
import { BOARD_ORDER, countText, scopeIdKey } from './board-position.ts'

const LEADERBOARD_SORT_KEY = 'L'
const LEADERBOARD_ITEM = /^L#[^#]*((?:#.*)?)$/s

interface LeaderboardOptions {
  readonly collection: Collection
  readonly layout: CollectionLayout
  readonly tableName: string
}

/** A leaderboard item and what it has to be; undefined at a count of 0, which has none. */
export interface LeaderboardItem {
  readonly key: TargetKey
  readonly entry: Entry | undefined
}

/** The leaderboard items that follow from a statistics item, one for each board. */
export function leaderboardItems(
  { collection, layout }: Omit<LeaderboardOptions, 'tableName'>,
  statistics: TargetKey,
  after: Entry | undefined,
): readonly LeaderboardItem[] {
  const index = layout.carrier
  if (index === undefined) return []
  const scope = unescapeComponent(statistics.PK.slice(collection.scope.name.length + 1))
  const suffix = statistics.SK.slice(STATISTICS_SORT_KEY.length)
  return collection.leaderboards.map((board) => {
    const count = boardCount(collection, board, after)
    const key = { PK: statistics.PK, SK: `${LEADERBOARD_SORT_KEY}#${board.name}${suffix}` }
    if (count <= 0) return { key, entry: undefined }
    const keys = {
      [index.partitionKey]: { S: partitionOf(collection, board, suffix, shardOf(scope, board.shards)) },
      [index.sortKey]: { S: positionText(BOARD_ORDER, { order: countText(count), id: scopeIdKey(scope) }) },
    }
    return { key, entry: { ...keyEntry(key), ...keys } }
  })
}

/** The statistics item that a leaderboard item follows from; undefined for a sort key of something else. */
export function statisticsOfLeaderboard({ PK, SK }: TargetKey): TargetKey | undefined {
  const suffix = LEADERBOARD_ITEM.exec(SK)?.[1]
  return suffix === undefined ? undefined : { PK, SK: `${STATISTICS_SORT_KEY}${suffix}` }
}

/**
 * The writes of the leaderboard items that change with a statistics item. They are absolute and go with its guarded write,
 * so they can't differ from it.
 */
export function leaderboardWrites(
  options: LeaderboardOptions,
  statistics: TargetKey,
  before: Entry | undefined,
  after: Entry | undefined,
): readonly TransactWriteItem[] {
  const { collection, tableName } = options
  return leaderboardItems(options, statistics, after)
    .filter((_, i) => {
      const board = collection.leaderboards[i] as Leaderboard
      return boardCount(collection, board, after) !== boardCount(collection, board, before)
    })
    .map((item) => leaderboardWrite(tableName, item))
}

export function leaderboardWrite(TableName: string, { key, entry }: LeaderboardItem): TransactWriteItem {
  return entry === undefined
    ? { Delete: { TableName, Key: keyEntry(key) } }
    : { Put: { TableName, Item: { ...entry } } }
}

/** The scope of an entry in a leaderboard's index, which always holds the table's own keys. */
export function boardScope(entry: Entry): string {
  const key = entry.PK?.S ?? ''
  return unescapeComponent(key.slice(key.indexOf('#') + 1))
}

export function partitionOf({ name }: Collection, board: Leaderboard, suffix: string, shard: number): string {
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
