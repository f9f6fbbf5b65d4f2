import { positionText } from '../../layouts/position-text.ts'
import type { Entry } from '../../model/entry.ts'
import { createEntryReader } from '../../model/entry-reader.ts'
import { facetText } from '../../model/query.ts'
import {
  derivedPartition,
  derivedPrefix,
  scopeOfPartition,
  sortKeyOf,
  textsOfSortKey,
} from '../../model/reserved-keys.ts'
import { shardOf } from '../../model/spread.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { cellReader } from '../counts/counted-cell.ts'
import { declarationOf } from '../register/plain-declaration.ts'
import { keyKind, type Shape } from '../register/shape.ts'
import type { SumProjection } from '../sum-projection.ts'
import { BOARD_ORDER, countText, scopeIdKey } from './board-position.ts'
import { type BoardMade, boardPartition, LEADERBOARDS, LEADERS } from './leaderboard-keys.ts'

/** The attribute with a leaderboard item's count, which its index keys tell too. */
const COUNT = 'count'

/**
 * The scopes' places on a leaderboard: the amount is the number of items that count. A place's index keys are made from
 * its count; below 1 it has none, so the index is sparse.
 */
export function leaderboardProjection(shape: Shape): SumProjection {
  const { declaration, board, by, index } = shape.made as BoardMade
  const collection = declarationOf(declaration)
  const cellOf = cellReader(collection, createEntryReader(collection), Object.keys(collection.facets))
  const kind = keyKind(LEADERS, shape)
  const prefix = derivedPrefix(kind, collection.name)
  const wanted = Object.entries(board.where)
  return {
    name: LEADERBOARDS,
    collection: collection.name,
    made: shape.made,
    dated: false,
    isItem: (key) => isItemKey(collection, key),
    contributions(image) {
      const { scope, value } = cellOf(image)
      if (!wanted.every(([facet, values]) => values.includes(value(facet)))) return []
      const PK = derivedPartition(kind, collection.name, scope)
      const texts = by.map((facet) => facetText(value(facet)))
      const sortKeys = by.length === 0 ? [[board.name]] : [[board.name], [board.name, ...texts]]
      return sortKeys.map((parts) => ({ target: { PK, SK: sortKeyOf(parts) }, amounts: { [COUNT]: 1 } }))
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    partitionOf: (scope) => derivedPartition(kind, collection.name, scope),
    entryOf({ PK, SK }, { [COUNT]: count = 0 }): Entry | undefined {
      const [, ...values] = textsOfSortKey(SK)
      const scope = scopeOfPartition(PK)
      if (count === 0) return undefined
      const entry = { [COUNT]: { N: String(count) } }
      if (count < 0 || scope === undefined) return entry
      return {
        ...entry,
        [index.partitionKey]: { S: boardPartition(shape, values, shardOf(scope, board.shards)) },
        [index.sortKey]: { S: positionText(BOARD_ORDER, { order: countText(count), id: scopeIdKey(scope) }) },
      }
    },
    amountsOf: (entry) => ({ [COUNT]: Number(entry[COUNT]?.N ?? 0) }),
  }
}
