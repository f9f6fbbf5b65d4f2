import type { Collection } from './collection.ts'

/** Returns the attributes that statistics and leaderboards are made of, beside the scope and the facets. */
export function statisticsAttributes({
  sums,
  statistics,
  leaderboards,
}: Pick<Collection, 'sums' | 'statistics' | 'leaderboards'>): readonly string[] {
  const days = statistics.days === undefined ? [] : [statistics.days.attribute]
  return [...sums, ...days, ...leaderboards.flatMap(({ by }) => by?.attribute ?? [])]
}
