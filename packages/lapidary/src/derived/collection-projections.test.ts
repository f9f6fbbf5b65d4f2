import { expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { Collection } from '../model/collection.ts'
import { collectionProjections, LIBRARY_SUMS } from './collection-projections.ts'

test('the names of the library’s projections are those that a collection may have', () => {
  const leaderboards = [{ name: 'best', where: {}, shards: 1 }]
  const statistics = { across: 2, days: { attribute: 'createdAt', zone: 'UTC' } }
  const collection = { ...(comments as unknown as Collection), leaderboards, statistics }
  const projections = collectionProjections(collection, indexes().of(collection))
  expect(projections.map(({ name }) => name)).toEqual(LIBRARY_SUMS)
  expect(LIBRARY_SUMS).toEqual(['counts', 'counts-across', 'counts-by-day', 'counts-by-day-across', 'leaderboards'])
})
