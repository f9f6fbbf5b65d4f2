import type { TextIndexDefinition } from '../../layouts/index-definition.ts'
import type { List, Lists } from '../../layouts/layout.ts'
import { textKeyCondition, textPosition } from '../../layouts/text-keys.ts'
import { facetText, knownSelection } from '../../model/query.ts'
import type { Shape } from '../register/shape.ts'
import { BOARD_ORDER } from './board-position.ts'
import { type BoardMade, boardPartition, LEADERS } from './leaderboard-keys.ts'

/**
 * A leaderboard as lists, to be planned and read as all others: one list for each shard, whose merge is the board. A query
 * names the board as its scope and selects a value for each `oneOf` facet, or none.
 */
export function boardLists(shape: Shape, index: TextIndexDefinition): Lists {
  const { board } = shape.made as BoardMade
  return Object.freeze<Lists>({
    accessPaths({ where }) {
      const by = Object.values(knownSelection(where)).map(([value = '']) => facetText(value))
      const lists = Array.from({ length: board.shards }, (_, shard): List => {
        const label = `${[LEADERS, ...by].join('#')}/${board.name}/${shard}`
        const partition = boardPartition(shape, by, shard)
        return { index: index.name, label, partition, prefix: '', holds: { shard: [shard] } }
      })
      return { paths: [{ index: index.name, lists, residual: {} }], refused: [] }
    },
    keyConditions: (list, range) => [textKeyCondition(index, BOARD_ORDER, list, range)],
    positionOf: (list, entry) => textPosition(index, BOARD_ORDER, list, entry),
  })
}
