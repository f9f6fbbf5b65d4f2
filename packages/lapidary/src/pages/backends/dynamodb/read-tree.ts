import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../../model/entry.ts'
import { queryPages } from '../../../table/paging.ts'
import type { TableClient } from '../../../table/table-client.ts'
import {
  type Branch,
  branchFrom,
  isNames,
  LEAF_PREFIX,
  type Leaf,
  leafFrom,
  type Names,
  namesFrom,
  UPPER_PREFIX,
} from './nodes.ts'

/** What reading a part of a tree gave, and what it took. */
interface Reading {
  readonly rcu: number
}

/** The upper part of a group's tree: which list has which number, and all branches in ascending order. */
export interface Upper extends Reading {
  readonly names: Names
  readonly branches: readonly Branch[]
}

/** How a tree is read. */
export interface TreeReading {
  readonly consistent: boolean
}

const AFTER_PREFIX = '$'

export async function readUpper(table: TableClient, partition: string, { consistent }: TreeReading): Promise<Upper> {
  const { items, rcu } = await readRange(table, partition, UPPER_PREFIX, `${UPPER_PREFIX}${AFTER_PREFIX}`, consistent)
  return {
    names: namesFrom(items.find(isNames)),
    branches: items.filter((entry) => !isNames(entry)).map(branchFrom),
    rcu,
  }
}

/**
 * Leaves in ascending order, from a fence to before another; to the last when there is none.
 */
export async function readLeaves(
  table: TableClient,
  partition: string,
  from: string,
  to: string | undefined,
  { consistent }: TreeReading,
): Promise<Reading & { readonly leaves: readonly Leaf[] }> {
  const end = to === undefined ? `${LEAF_PREFIX.slice(0, -1)}${AFTER_PREFIX}` : `${LEAF_PREFIX}${to}`
  const { items, rcu } = await readRange(table, partition, `${LEAF_PREFIX}${from}`, end, consistent)
  return { leaves: items.map(leafFrom).filter(({ fence }) => to === undefined || fence !== to), rcu }
}

/** The fence of the branch after one; undefined after the last. */
export function fenceAfter(branches: readonly Branch[], i: number): string | undefined {
  return branches[i + 1]?.fence
}

async function readRange(
  table: TableClient,
  partition: string,
  from: string,
  to: string,
  ConsistentRead: boolean,
): Promise<Reading & { readonly items: readonly Entry[] }> {
  const input: Omit<QueryCommandInput, 'TableName'> = {
    KeyConditionExpression: 'PK = :partition AND SK BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':partition': { S: partition }, ':from': { S: from }, ':to': { S: to } },
    ConsistentRead,
  }
  const items: Entry[] = []
  let rcu = 0
  for await (const page of queryPages(table, input)) {
    items.push(...(page.Items ?? []))
    rcu += page.ConsumedCapacity?.CapacityUnits ?? 0
  }
  return { items, rcu }
}
