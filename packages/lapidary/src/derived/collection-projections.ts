import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { EntryCodec } from '../model/entry.ts'
import { countsProjection } from './counts/counts.ts'
import { leaderboardsProjection } from './leaderboards/leaderboards.ts'
import type { Projection } from './projection.ts'

/** Names that projections of the library have. */
export const LIBRARY_PROJECTIONS: readonly string[] = ['counts', 'leaderboards']

/** The word for all that is counted: counts, leaderboards and projections of one's own. */
export const STATISTICS = 'statistics'

/** Everything that is derived from a collection; also where nothing is declared, so that what once was is found. */
export function collectionProjections(
  collection: Collection,
  codec: EntryCodec,
  layout: CollectionLayout,
): readonly Projection[] {
  return [countsProjection(collection, codec, layout), leaderboardsProjection(collection, codec, layout)]
}
