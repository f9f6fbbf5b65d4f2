import { type TransactGetItem, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import { targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, checkpointKey, checkpointOf } from '../stream/checkpoint.ts'
import { type CapacityBudget, withinBudget } from '../table/capacity-budget.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Target } from './tally.ts'

/** Derived items as they were together at one moment, and how far the runner had counted at that moment. */
export interface Snapshot {
  readonly targets: readonly Target[]
  readonly checkpoints: ReadonlyMap<string, Checkpoint>
  readonly entries: ReadonlyMap<string, Entry>
}

/** RCU of an item of up to 4 KB in a transaction. */
export const READ_UNITS = 2
/** DynamoDB's cap on the items of a transaction. */
const MOST_ITEMS = 100
const MAX_CONFLICTS = 40

/** How many targets fit into one transaction with the checkpoints of so many shards; `wanted` if that can be, and at least one. */
export function snapshotSize(shards: number, wanted: number): number {
  if (shards >= MOST_ITEMS) {
    throw new LapidaryError(
      'not_implemented',
      `the change stream has ${shards} open shards; at most ${MOST_ITEMS - 1} can be read at one moment with an item of derived data`,
    )
  }
  return Math.max(1, Math.min(MOST_ITEMS - shards, Math.floor(wanted)))
}

/** Reads targets and checkpoints in one transaction, which is a serializable snapshot. Costs 2 RCU for each item of up to 4 KB. */
export function takeSnapshot(
  table: TableClient,
  shardIds: readonly string[],
  targets: readonly Target[],
  budget: CapacityBudget,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const keys = [...shardIds.map((shardId) => checkpointKey(shardId)), ...targets.map(({ key }) => key)]
  const TransactItems = keys.map(
    (key): TransactGetItem => ({ Get: { TableName: table.tableName, Key: keyEntry(key) } }),
  )
  const paced = withinBudget(table, budget, keys.length * READ_UNITS, signal)
  const gaveUp = (_: number, cause: unknown): never => {
    throw new LapidaryError('unavailable', 'writes kept conflicting with the reading of derived data; try again', {
      cause,
    })
  }
  return retrying(table, { most: MAX_CONFLICTS, steadyFrom: 4, gaveUp }, async () => {
    try {
      const { Responses = [] } = await paced.send(
        new TransactGetItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' }),
      )
      const entries = new Map<string, Entry>()
      Responses.forEach(({ Item }, i) => {
        const key = keys[i]
        if (Item !== undefined && key !== undefined) entries.set(targetId(key), Item)
      })
      const checkpoints = new Map(shardIds.map((shardId, i) => [shardId, checkpointOf(Responses[i]?.Item)]))
      return { targets, checkpoints, entries }
    } catch (error) {
      if (meaningOf(error) !== 'conflict') throw error
      return new Again(error)
    }
  })
}
