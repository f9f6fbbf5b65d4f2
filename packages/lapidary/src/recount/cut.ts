import { type TransactGetItem, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import { targetId } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, checkpointKey, checkpointOf } from '../stream/checkpoint.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'
import { type CapacityBudget, unitsOf } from './capacity-budget.ts'
import type { Target } from './tally.ts'

/** Derived items as they were together at one moment, and how far the runner had counted at that moment. */
export interface Cut {
  readonly targets: readonly Target[]
  readonly checkpoints: ReadonlyMap<string, Checkpoint>
  readonly entries: ReadonlyMap<string, Entry>
}

/** RCU of an item of up to 4 KB in a transaction. */
export const READ_UNITS = 2
/** DynamoDB's cap on the items of a transaction. */
const MOST_ITEMS = 100
const MAX_CONFLICTS = 40

/** Cuts targets into groups that fit into one transaction with the checkpoints of so many shards, `most` in each if that can be. */
export function groupTargets(targets: readonly Target[], shards: number, most: number): readonly Target[][] {
  if (shards >= MOST_ITEMS) {
    throw new LapidaryError(
      'not_implemented',
      `the change stream has ${shards} open shards; at most ${MOST_ITEMS - 1} can be read at one moment with an item of derived data`,
    )
  }
  return inGroups(targets, MOST_ITEMS - shards, most)
}

/** Groups of `wanted` members, but at least 1 and at most `cap`. */
export function inGroups<T>(members: readonly T[], cap: number, wanted: number): readonly T[][] {
  const size = Math.max(1, Math.min(cap, Math.floor(wanted)))
  return Array.from({ length: Math.ceil(members.length / size) }, (_, i) => members.slice(i * size, (i + 1) * size))
}

/** Reads targets and checkpoints in one transaction, which is a serializable snapshot. Costs 2 RCU for each item of up to 4 KB. */
export function takeCut(
  table: TableClient,
  shardIds: readonly string[],
  targets: readonly Target[],
  budget: CapacityBudget,
  signal?: AbortSignal,
): Promise<Cut> {
  const keys = [...shardIds.map(checkpointKey), ...targets.map(({ key }) => key)]
  const TransactItems = keys.map(
    (key): TransactGetItem => ({ Get: { TableName: table.tableName, Key: keyEntry(key) } }),
  )
  const gaveUp = (_: number, cause: unknown): never => {
    throw new LapidaryError('unavailable', 'writes kept conflicting with the reading of derived data; try again', {
      cause,
    })
  }
  return retrying(table, { most: MAX_CONFLICTS, steadyFrom: 4, gaveUp }, async () => {
    const reserved = keys.length * READ_UNITS
    await budget.reserve(reserved, signal)
    try {
      const { Responses = [], ConsumedCapacity } = await table.send(
        new TransactGetItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' }),
      )
      budget.settle(reserved, unitsOf(ConsumedCapacity))
      const entries = new Map<string, Entry>()
      Responses.forEach(({ Item }, i) => {
        const key = keys[i]
        if (Item !== undefined && key !== undefined) entries.set(targetId(key), Item)
      })
      const checkpoints = new Map(
        shardIds.map((shardId) => [shardId, checkpointOf(entries.get(targetId(checkpointKey(shardId))))]),
      )
      return { targets, checkpoints, entries }
    } catch (error) {
      if (cancellationCodes(error).length === 0) throw error
      return new Again(error)
    }
  })
}

/** Snapshots are one after another, whatever the order of their answers; checkpoints only go ahead. */
export function inOrder(cuts: readonly Cut[]): readonly Cut[] {
  return [...cuts].sort((a, b) => {
    for (const [shardId, one] of a.checkpoints) {
      const other = b.checkpoints.get(shardId)
      const order = placeOf(one).localeCompare(placeOf(other))
      if (order !== 0) return order
    }
    return 0
  })
}

function placeOf(checkpoint: { sequenceNumber: string | undefined; finished: boolean } | undefined): string {
  const digits = checkpoint?.sequenceNumber ?? ''
  return `${checkpoint?.finished === true ? 1 : 0}${String(digits.length).padStart(3, '0')}${digits}`
}
