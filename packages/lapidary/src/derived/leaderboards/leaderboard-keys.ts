import type { Collection, Leaderboard } from '../../model/collection.ts'

/** What keys of leaderboards begin with, after their `~`. */
export const LEADERS = 'leaders'

/** The facets for whose values there are boards of their own: the `oneOf` facets that are counted. */
export function boardFacets({ facets }: Pick<Collection, 'facets'>): readonly string[] {
  return Object.keys(facets).filter((name) => facets[name]?.kind === 'oneOf' && facets[name].counted)
}

/** `~leaders/COMMENT/five-star/0`, with `oneOf` values `~leaders#en/COMMENT/five-star/0`. */
export function boardPartition(collection: string, board: Leaderboard, by: readonly string[], shard: number): string {
  return `~${[LEADERS, ...by].join('#')}/${collection}/${board.name}/${shard}`
}
