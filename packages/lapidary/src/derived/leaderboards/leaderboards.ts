import type { CollectionLayout } from '../../layouts/layout.ts'
import { positionText } from '../../layouts/position-text.ts'
import type { Collection, Leaderboard } from '../../model/collection.ts'
import type { Entry, EntryCodec } from '../../model/entry.ts'
import { facetText } from '../../model/query.ts'
import {
  derivedPartition,
  derivedPrefix,
  scopeOfPartition,
  sortKeyOf,
  textsOfSortKey,
} from '../../model/reserved-keys.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { type CountedCell, cellReader } from '../counts/counted-cell.ts'
import { statisticsShape } from '../counts/counts-shape.ts'
import type { Contribution, Projection } from '../projection.ts'
import { BOARD_ORDER, countText, scopeIdKey } from './board-position.ts'
import { boardPartition, LEADERS, shardOf } from './leaderboard-keys.ts'

/** The attribute with a leaderboard item's count, which its index keys tell too. */
const COUNT = 'count'

/**
 * The scopes' places on each leaderboard: the amount is the number of items that count. A place's index keys are made from
 * its count; below 1 it has none, so the index is sparse.
 */
export function leaderboardsProjection(
  collection: Collection,
  codec: EntryCodec,
  layout: CollectionLayout,
): Projection {
  const { name, leaderboards } = collection
  const index = layout.carrier
  const boards = index === undefined ? [] : leaderboards
  const cellOf = cellReader(collection, codec)
  const { counted } = statisticsShape(collection)
  const wanted = boards.map(({ where }) =>
    counted.map((facet) => (Object.hasOwn(where, facet) ? where[facet]?.map(facetText) : undefined)),
  )
  const prefix = derivedPrefix(LEADERS, name)

  const placesOf = (board: Leaderboard, { scope, by }: CountedCell): readonly Contribution[] => {
    const PK = derivedPartition(LEADERS, name, scope)
    const texts = by.map(facetText)
    const sortKeys = by.length === 0 ? [[board.name]] : [[board.name], [board.name, ...texts]]
    return sortKeys.map((parts) => ({ target: { PK, SK: sortKeyOf(parts) }, amounts: { [COUNT]: 1 } }))
  }

  return {
    name: 'leaderboards',
    collection: name,
    dated: false,
    isItem: (key) => isItemKey(collection, key),
    contributions(image) {
      const cell = cellOf(image)
      const texts = cell.counted.map(facetText)
      return boards
        .filter((_, i) => wanted[i]?.every((values, j) => values?.includes(texts[j] ?? '') ?? true))
        .flatMap((board) => placesOf(board, cell))
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    partitionOf: (scope) => derivedPartition(LEADERS, name, scope),
    entryOf({ PK, SK }, { [COUNT]: count = 0 }): Entry | undefined {
      const [boardName, ...by] = textsOfSortKey(SK)
      const board = boards.find((declared) => declared.name === boardName)
      const scope = scopeOfPartition(PK)
      if (count === 0) return undefined
      const entry = { [COUNT]: { N: String(count) } }
      if (count < 0 || index === undefined || board === undefined || scope === undefined) return entry
      return {
        ...entry,
        [index.partitionKey]: { S: boardPartition(name, board, by, shardOf(scope, board.shards)) },
        [index.sortKey]: { S: positionText(BOARD_ORDER, { order: countText(count), id: scopeIdKey(scope) }) },
      }
    },
    amountsOf: (entry) => ({ [COUNT]: Number(entry[COUNT]?.N ?? 0) }),
  }
}
