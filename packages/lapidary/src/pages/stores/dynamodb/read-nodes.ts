import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../../model/entry.ts'
import { compareBytes } from '../../../model/key-text.ts'
import { queryPages } from '../../../table/paging.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { type StoredNode, TOP } from '../../tree/node.ts'
import type { NodeRange, Reading, ReadNodes, TopRow } from '../../tree/node-store.ts'
import { isNames, namesFrom, rowEnd, rowPrefix, storedNode, UPPER_END, UPPER_PREFIX } from './nodes.ts'

export async function readTop(table: TableClient, partition: string, { consistent }: Reading): Promise<TopRow> {
  const { items, rcu } = await readKeys(table, partition, UPPER_PREFIX, UPPER_END, { consistent })
  return {
    names: namesFrom(items.find(isNames)),
    nodes: items.filter((entry) => !isNames(entry)).map((entry) => storedNode(TOP, entry)),
    rcu,
  }
}

export async function readRange(
  table: TableClient,
  partition: string,
  { row, from, to, most, descending }: NodeRange,
  { consistent }: Reading,
): Promise<ReadNodes> {
  const prefix = rowPrefix(row)
  const end = to === undefined ? rowEnd(row) : `${prefix}${to}`
  // The end of a condition of a key is a part of it, and that of a range is not.
  const limit = most === undefined || to === undefined ? most : most + Number(descending === true)
  const { items, ...took } = await readKeys(table, partition, `${prefix}${from}`, end, {
    ...{ consistent, most: limit, descending },
  })
  const nodes = items.map((entry) => storedNode(row, entry)).filter(({ fence }) => fence !== to)
  return { nodes: nodes.slice(0, most), ...took }
}

async function readKeys(
  table: TableClient,
  partition: string,
  from: string,
  to: string,
  { consistent, most = Number.POSITIVE_INFINITY, descending = false }: Reading & Pick<NodeRange, 'most' | 'descending'>,
): Promise<{ readonly items: readonly Entry[]; readonly rcu: number; readonly requests: number }> {
  const input: Omit<QueryCommandInput, 'TableName'> = {
    KeyConditionExpression: 'PK = :partition AND SK BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':partition': { S: partition }, ':from': { S: from }, ':to': { S: to } },
    ConsistentRead: consistent,
    ScanIndexForward: !descending,
    ...(Number.isFinite(most) ? { Limit: most } : {}),
  }
  const items: Entry[] = []
  let [rcu, requests] = [0, 0]
  for await (const { Items = [], ConsumedCapacity } of queryPages(table, input)) {
    items.push(...Items)
    rcu += ConsumedCapacity?.CapacityUnits ?? 0
    requests += 1
    if (items.length >= most) break
  }
  return { items: items.slice(0, most), rcu, requests }
}

/** Finds the node of a row that a fence falls in. Consistent. */
async function nearest(
  table: TableClient,
  partition: string,
  row: number,
  fence: string,
): Promise<StoredNode | undefined> {
  const prefix = rowPrefix(row)
  const { Items = [] } = await table.send(
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
  return Items[0] && storedNode(row, Items[0])
}

/**
 * Finds the nodes that fences fall in, by fence. Most changes are of the newest items, so the highest fence is looked up first: one that is
 * not below the node that it is in is in the same.
 */
export async function readNearest(
  table: TableClient,
  partition: string,
  row: number,
  fences: readonly string[],
): Promise<ReadonlyMap<string, StoredNode | undefined>> {
  const found = new Map<string, StoredNode | undefined>()
  const [highest, ...others] = [...new Set(fences)].sort((a, b) => compareBytes(b, a))
  if (highest === undefined) return found
  const last = await nearest(table, partition, row, highest)
  found.set(highest, last)
  await Promise.all(
    others.map(async (fence) => {
      const isSame = last === undefined || compareBytes(fence, last.fence) >= 0
      found.set(fence, isSame ? last : await nearest(table, partition, row, fence))
    }),
  )
  return found
}
