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
import { shardOf } from '../../model/spread.ts'
import { isItemKey } from '../../model/stored-item.ts'
import { type CountedCell, cellReader } from '../counts/counted-cell.ts'
import type { Contribution, Projection } from '../projection.ts'
import { BOARD_ORDER, countText, scopeIdKey } from './board-position.ts'
import { boardFacets, boardPartition, LEADERS } from './leaderboard-keys.ts'

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
  const by = boardFacets(collection)
  const cellOf = cellReader(collection, codec, [...by, ...boards.flatMap(({ where }) => Object.keys(where))])
  const prefix = derivedPrefix(LEADERS, name)

  const counts = ({ where }: Leaderboard, { value }: CountedCell): boolean =>
    Object.entries(where).every(([facet, values]) => values.includes(value(facet)))
  const placesOf = (board: Leaderboard, { scope, value }: CountedCell): readonly Contribution[] => {
    const PK = derivedPartition(LEADERS, name, scope)
    const texts = by.map((facet) => facetText(value(facet)))
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
      return boards.filter((board) => counts(board, cell)).flatMap((board) => placesOf(board, cell))
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
