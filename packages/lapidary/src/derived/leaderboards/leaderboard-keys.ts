import type { Layout, List } from '../../layouts/layout.ts'
import type { Collection, Leaderboard } from '../../model/collection.ts'
import type { FacetValue } from '../../model/facet.ts'
import { facetText } from '../../model/query.ts'

/** What keys of leaderboards begin with, after their `~`. */
export const LEADERS = 'leaders'

/** Counts up to a trillion, inverted, so that ascending order is most first and, among equals, by scope. */
const MOST = 999_999_999_999
const COUNT_DIGITS = 12

/** The lists, one for each shard, whose merge is a board. */
export function leaderboardLists(
  collection: Collection,
  layout: Layout,
  board: Leaderboard,
  byValues: readonly FacetValue[],
): readonly List[] {
  const index = layout.overloadable
  if (index === undefined) return []
  const by = byValues.map(facetText)
  return Array.from({ length: board.shards }, (_, shard) => ({
    index: index.name,
    label: `${[LEADERS, ...by].join('#')}/${board.name}/${shard}`,
    partition: boardPartition(collection.name, board, by, shard),
    prefix: '',
    holds: {},
  }))
}

/** `~leaders/COMMENT/five-star/0`, with `oneOf` values `~leaders#en/COMMENT/five-star/0`. */
export function boardPartition(collection: string, board: Leaderboard, by: readonly string[], shard: number): string {
  return `~${[LEADERS, ...by].join('#')}/${collection}/${board.name}/${shard}`
}

export function boardSortKey(count: number, scope: string): string {
  return `${String(MOST - count).padStart(COUNT_DIGITS, '0')}#${scope}`
}

/** The scope and count that an entry's sort key tells. */
export function leaderboardEntry(position: string): { readonly scope: string; readonly count: number } {
  return { count: MOST - Number(position.slice(0, COUNT_DIGITS)), scope: position.slice(COUNT_DIGITS + 1) }
}

/** FNV-1a, 32 bits: spreads scopes evenly, and the same on every machine. */
export function shardOf(scope: string, shards: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(scope)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % shards
}
