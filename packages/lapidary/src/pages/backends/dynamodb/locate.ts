import { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../../model/entry.ts'
import { compareBytes } from '../../../model/key-text.ts'
import type { TableClient } from '../../../table/table-client.ts'

/** The node of a kind that a fence falls in: that with the greatest fence which is not above it. Read consistently. */
async function nearest(
  table: TableClient,
  partition: string,
  prefix: string,
  fence: string,
): Promise<Entry | undefined> {
  const { Items } = await table.send(
    new QueryCommand({
      TableName: table.tableName,
      KeyConditionExpression: 'PK = :partition AND SK BETWEEN :first AND :fence',
      ExpressionAttributeValues: {
        ':partition': { S: partition },
        ':first': { S: prefix },
        ':fence': { S: `${prefix}${fence}` },
      },
      ScanIndexForward: false,
      Limit: 1,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  return Items?.[0]
}

/**
 * The nodes that fences fall in, by fence. Most changes are of the newest items, so the highest fence is looked up first: what is
 * not below the node that it is in is in the same.
 *
 * @param nodeOf Makes a node of what is stored; of nothing, the first node of the tree.
 */
export async function locate<N extends { readonly fence: string }>(
  table: TableClient,
  partition: string,
  prefix: string,
  fences: readonly string[],
  nodeOf: (stored: Entry | undefined) => N,
): Promise<ReadonlyMap<string, N>> {
  const found = new Map<string, N>()
  const nodes = new Map<string, N>()
  const take = async (fence: string): Promise<N> => {
    const read = nodeOf(await nearest(table, partition, prefix, fence))
    const node = nodes.get(read.fence) ?? read
    nodes.set(node.fence, node)
    found.set(fence, node)
    return node
  }
  const [highest, ...others] = [...new Set(fences)].sort((a, b) => compareBytes(b, a))
  if (highest === undefined) return found
  const top = await take(highest)
  await Promise.all(
    others.map((fence) => (compareBytes(fence, top.fence) >= 0 ? void found.set(fence, top) : take(fence))),
  )
  return found
}
