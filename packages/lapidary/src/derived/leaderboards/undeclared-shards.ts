import type { CollectionLayout } from '../../layouts/layout.ts'
import type { Collection } from '../../model/collection.ts'
import { MOST_BOARD_SHARDS } from '../../model/collection.ts'
import { queryPages } from '../../table/paging.ts'
import type { TableClient } from '../../table/table-client.ts'
import { boardPartition } from './leaderboard-keys.ts'

/** A leaderboard that has places where no reader looks. */
export interface UndeclaredShards {
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  readonly board: string
  /** Shards that hold places and are not declared, since it was declared with more. */
  readonly shards: readonly number[]
}

/** Leaderboards that were declared with more shards before. Costs half a read unit for each shard that is not declared. */
export async function undeclaredShards(
  table: TableClient,
  collection: Collection,
  { carrier }: CollectionLayout,
): Promise<readonly UndeclaredShards[]> {
  if (carrier === undefined) return []
  const { name, partitionKey } = carrier
  const holdsPlaces = async (partition: string): Promise<boolean> => {
    const pages = queryPages(table, {
      IndexName: name,
      KeyConditionExpression: '#p = :p',
      ExpressionAttributeNames: { '#p': partitionKey },
      ExpressionAttributeValues: { ':p': { S: partition } },
      Select: 'COUNT',
      Limit: 1,
    })
    for await (const { Count = 0 } of pages) {
      if (Count > 0) return true
    }
    return false
  }
  const found = await Promise.all(
    collection.leaderboards.map(async (board) => {
      const beyond = Array.from({ length: MOST_BOARD_SHARDS - board.shards }, (_, i) => board.shards + i)
      const held = await Promise.all(
        beyond.map((shard) => holdsPlaces(boardPartition(collection.name, board, [], shard))),
      )
      return { collection: collection.name, board: board.name, shards: beyond.filter((_, i) => held[i]) }
    }),
  )
  return found.filter(({ shards }) => shards.length > 0)
}
