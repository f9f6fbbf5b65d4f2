import { positionText } from '../../layouts/position-text.ts'
import type { Collection } from '../../model/collection.ts'
import type { Entry } from '../../model/entry.ts'
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
import type { Amounts } from '../amount.ts'
import { sumIn, summedNumber } from '../counts/counted-attribute.ts'
import { cellReader } from '../counts/counted-cell.ts'
import { numbersEntry } from '../counts/numbers-entry.ts'
import { declaredReader } from '../register/declared-reader.ts'
import { declarationOf } from '../register/plain-declaration.ts'
import { keyKind, type Shape } from '../register/shape.ts'
import type { SumProjection } from '../sum-projection.ts'
import { BOARD_ORDER, placeText, scopeIdKey, type Tallied } from './board-position.ts'
import { type BoardMade, boardPartition, LEADERBOARDS, LEADERS } from './leaderboard-keys.ts'

/** The attributes of a leaderboard item with what the scope has, of which its index keys are made. */
const COUNT = 'count'
const SUM = 'sum'

/**
 * The scopes' places on a leaderboard: the amounts are the number of items that count and, where it ranks by their numbers, the sum of these. A
 * place's index keys are made from them; a scope without a rank has none, so the index is sparse.
 *
 * @param own The collections of this process, which have the functions of computed facets.
 */
export function leaderboardProjection(shape: Shape, own: readonly Collection[]): SumProjection {
  const { declaration, board, by, index, ranking } = shape.made as BoardMade
  const collection = declarationOf(declaration)
  const cellOf = cellReader(collection, declaredReader(declaration, collection, own), Object.keys(collection.facets))
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
      const number = ranking === undefined ? undefined : summedNumber(ranking, image)
      if (ranking !== undefined && number === undefined) return []
      const amounts = { [COUNT]: 1, ...(number === undefined ? {} : { [SUM]: number }) }
      const PK = derivedPartition(kind, collection.name, scope)
      const texts = by.map((facet) => facetText(value(facet)))
      const sortKeys = by.length === 0 ? [[board.name]] : [[board.name], [board.name, ...texts]]
      return sortKeys.map((parts) => ({ target: { PK, SK: sortKeyOf(parts) }, amounts }))
    },
    owns: ({ PK }) => PK.startsWith(prefix),
    partitionOf: (scope) => derivedPartition(kind, collection.name, scope),
    entryOf({ PK, SK }, amounts): Entry | undefined {
      const entry = numbersEntry(amounts)
      const [, ...values] = textsOfSortKey(SK)
      const scope = scopeOfPartition(PK)
      const place = placeText(ranking, talliedOf(amounts))
      if (entry === undefined || place === undefined || scope === undefined) return entry
      return {
        ...entry,
        [index.partitionKey]: { S: boardPartition(shape, values, shardOf(scope, board.shards)) },
        [index.sortKey]: { S: positionText(BOARD_ORDER, { order: place, id: scopeIdKey(scope) }) },
      }
    },
    amountsOf: (entry) => ({ [COUNT]: Number(entry[COUNT]?.N ?? 0), ...(ranking && { [SUM]: sumIn(entry, SUM) }) }),
  }
}

function talliedOf({ [COUNT]: count = 0, [SUM]: sum = '0' }: Amounts): Tallied {
  return { count: Number(count), sum: String(sum) }
}
