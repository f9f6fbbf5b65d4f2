import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { countsProjection } from './counts/counts.ts'
import { COUNTS, countsShape } from './counts/counts-shape.ts'
import { boardShape, LEADERBOARDS } from './leaderboards/leaderboard-keys.ts'
import { leaderboardProjection } from './leaderboards/leaderboards.ts'
import type { Shape } from './register/shape.ts'
import type { SumProjection } from './sum-projection.ts'

/** The library's projections by their names: each is made of its shape, by any process. */
const MADE: Readonly<Record<string, (shape: Shape) => SumProjection>> = {
  [COUNTS]: countsProjection,
  [LEADERBOARDS]: leaderboardProjection,
}

/** Names that sums of the library have. */
export const LIBRARY_SUMS: readonly string[] = Object.keys(MADE)

/** The word for all that is counted: counts, leaderboards and projections of one's own. */
export const STATISTICS = 'statistics'

/** The word for all that is derived. */
export const EVERYTHING = 'all'

/** Everything that is derived from a collection: its counts, and each leaderboard. */
export function collectionProjections(collection: Collection, layout: CollectionLayout): readonly SumProjection[] {
  const boards = collection.leaderboards.flatMap((board) => boardShape(collection, layout, board) ?? [])
  return [countsProjection(countsShape(collection, layout)), ...boards.map(leaderboardProjection)]
}

/** The sums of a shape that another declaration has; undefined of anything else. */
export function sumsOfShape(shape: Shape): SumProjection | undefined {
  return Object.hasOwn(MADE, shape.name) ? MADE[shape.name]?.(shape) : undefined
}
