import type { TextKeys } from '../../layouts/index-definition.ts'
import type { CollectionLayout } from '../../layouts/layout.ts'
import type { Collection } from '../../model/collection.ts'
import type { Leaderboard, Ranking } from '../../model/leaderboard.ts'
import { type CountedAttribute, countedAttribute } from '../counts/counted-attribute.ts'
import { type PlainDeclaration, plainDeclaration, sortedValues } from '../register/plain-declaration.ts'
import { keyKind, type Shape, shapeOf } from '../register/shape.ts'

/** What the projections of leaderboards are called. */
export const LEADERBOARDS = 'leaderboards'
/** What keys of leaderboards begin with, after their `~`. */
export const LEADERS = 'leaders'

/** What a leaderboard is made by, as plain data. */
export interface BoardMade {
  readonly declaration: PlainDeclaration
  readonly board: Pick<Leaderboard, 'name' | 'where' | 'shards'>
  /** By what scopes are ranked, where it is not the count. */
  readonly ranking?: Pick<Ranking, 'of' | 'atLeast'> & CountedAttribute
  /** The facets for whose values there are boards of their own. */
  readonly by: readonly string[]
  /** The index that it lies in. */
  readonly index: TextKeys & { readonly name: string }
}

/** The shape of a leaderboard; undefined where no index can carry it. */
export function boardShape(
  collection: Collection,
  { carrier }: Pick<CollectionLayout, 'carrier'>,
  { name, where, shards, by: ranking }: Leaderboard,
): Shape | undefined {
  if (carrier === undefined) return undefined
  const by = boardFacets(collection)
  const named = new Set([...by, ...Object.keys(where)])
  const { partitionKey, sortKey } = carrier
  const made: BoardMade = {
    declaration: plainDeclaration(collection, [...named]),
    board: { name, where: inNoOrder(where), shards },
    ...(ranking === undefined
      ? {}
      : { ranking: { of: ranking.of, atLeast: ranking.atLeast, ...countedAttribute(collection, ranking.attribute) } }),
    by,
    index: { name: carrier.name, partitionKey, sortKey },
  }
  return shapeOf({ collection: collection.name, name: LEADERBOARDS }, made)
}

/** Values in whatever order they are declared. */
function inNoOrder(where: Leaderboard['where']): Leaderboard['where'] {
  return Object.fromEntries(Object.entries(where).map(([facet, values]) => [facet, sortedValues(values)]))
}

/** The facets for whose values there are boards of their own: the `oneOf` facets that are counted. */
export function boardFacets({ facets }: Pick<Collection, 'facets'>): readonly string[] {
  return Object.keys(facets).filter((name) => facets[name]?.kind === 'oneOf' && facets[name].counted)
}

/** `~leaders.V1StGXR8_Z/COMMENT/five-star/0`, with `oneOf` values `~leaders.V1StGXR8_Z#en/COMMENT/five-star/0`. */
export function boardPartition(shape: Shape, by: readonly string[], shard: number): string {
  const { board } = shape.made as BoardMade
  return `~${[keyKind(LEADERS, shape), ...by].join('#')}/${shape.collection}/${board.name}/${shard}`
}
