import { COUNTS, countsShape } from '../src/derived/counts/counts-shape.ts'
import { boardShape, LEADERS } from '../src/derived/leaderboards/leaderboard-keys.ts'
import { keyKind } from '../src/derived/register/shape.ts'
import { indexes } from '../src/layouts/indexes/indexes.ts'
import type { CollectionLayout } from '../src/layouts/layout.ts'
import type { Collection } from '../src/model/collection.ts'
import { derivedPartition } from '../src/model/reserved-keys.ts'
import type { AnyCollection } from '../src/read/reader.ts'

/** The partition of a scope's counts: `~counts.V1StGXR8_Z#COMMENT#42`. */
export function countsPartition(declared: AnyCollection, scope: string, layout?: CollectionLayout): string {
  const collection = declared as Collection
  const shape = countsShape(collection, layout ?? indexes().of(collection))
  return derivedPartition(keyKind(COUNTS, shape), collection.name, scope)
}

/** The partition of a scope's places on a board: `~leaders.V1StGXR8_Z#COMMENT#42`. */
export function placesPartition(declared: AnyCollection, board: string, scope: string): string {
  const collection = declared as Collection
  const found = collection.leaderboards.find(({ name }) => name === board)
  const shape = found && boardShape(collection, indexes().of(collection), found)
  if (shape === undefined) throw new TypeError(`${collection.name} has no leaderboard ${board}`)
  return derivedPartition(keyKind(LEADERS, shape), collection.name, scope)
}

/** A key without the digest of its shape: `~counts#COMMENT#42`, as tests tell it. */
export function withoutDigest(key: string): string {
  return key.replace(/^~(counts|leaders)\.[\w-]+(?=[#/])/, '~$1')
}
