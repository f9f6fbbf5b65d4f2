import { expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import type { Collection } from '../model/collection.ts'
import { collectionProjections, LIBRARY_SUMS } from './collection-projections.ts'

test('the names of the library’s projections are those that every collection has', () => {
  const leaderboards = [{ name: 'best', where: {}, shards: 1 }]
  const collection = { ...(comments as unknown as Collection), leaderboards }
  const projections = collectionProjections(collection, indexes().of(collection))
  expect(projections.map(({ name }) => name)).toEqual(LIBRARY_SUMS)
  expect(LIBRARY_SUMS).toEqual(['counts', 'leaderboards'])
})
