import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { countsProjection } from './counts/counts.ts'
import {
  COUNTS_BY_DAY,
  COUNTS_BY_DAY_ACROSS,
  countsByDayProjection,
  countsByDayShapes,
} from './counts/counts-by-day.ts'
import { COUNTS, COUNTS_ACROSS, countsAcrossShape, countsShape } from './counts/counts-shape.ts'
import { boardShape, LEADERBOARDS } from './leaderboards/leaderboard-keys.ts'
import { leaderboardProjection } from './leaderboards/leaderboards.ts'
import { isComputedBy } from './register/declared-reader.ts'
import type { PlainDeclaration } from './register/plain-declaration.ts'
import type { Shape } from './register/shape.ts'
import type { SumProjection } from './sum-projection.ts'

/** The library's projections by their names: each is made of its shape, by any process. */
const MADE: Readonly<Record<string, (shape: Shape, own: readonly Collection[]) => SumProjection>> = {
  [COUNTS]: countsProjection,
  [COUNTS_ACROSS]: countsProjection,
  [COUNTS_BY_DAY]: countsByDayProjection,
  [COUNTS_BY_DAY_ACROSS]: countsByDayProjection,
  [LEADERBOARDS]: leaderboardProjection,
}

/** Names that sums of the library have. */
export const LIBRARY_SUMS: readonly string[] = Object.keys(MADE)

/** The word for all that is counted: counts, leaderboards and projections of one's own. */
export const STATISTICS = 'statistics'

/** The word for all that is derived. */
export const EVERYTHING = 'all'

/** Everything that is derived from a collection: its counts, of all scopes and by day too where they are declared, and each leaderboard. */
export function collectionProjections(collection: Collection, layout: CollectionLayout): readonly SumProjection[] {
  const boards = collection.leaderboards.flatMap((board) => boardShape(collection, layout, board) ?? [])
  const across = countsAcrossShape(collection, layout)
  const own = [collection]
  return [
    countsProjection(countsShape(collection, layout), own),
    ...(across === undefined ? [] : [countsProjection(across, own)]),
    ...countsByDayShapes(collection).map((shape) => countsByDayProjection(shape, own)),
    ...boards.map((board) => leaderboardProjection(board, own)),
  ]
}

/** The sums of a shape that another declaration has; undefined of anything else, and where this process lacks a function of its facets. */
export function sumsOfShape(shape: Shape, own: readonly Collection[]): SumProjection | undefined {
  if (!Object.hasOwn(MADE, shape.name)) return undefined
  const { declaration } = shape.made as { readonly declaration: PlainDeclaration }
  return isComputedBy(own, declaration) ? MADE[shape.name]?.(shape, own) : undefined
}
