import { type ConsumedCapacity, type TransactGetItem, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import { type TargetKey, targetId } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { type Checkpoint, checkpointKey, checkpointOf } from '../stream/checkpoint.ts'
import { jitteredDelay, type TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'
import type { CapacityBudget } from './capacity-budget.ts'
import type { Unit } from './tally.ts'

/** Derived items as they were together at one moment, and how far the runner had counted at that moment. */
export interface Cut {
  readonly units: readonly Unit[]
  readonly checkpoints: ReadonlyMap<string, Checkpoint>
  readonly entries: ReadonlyMap<string, Entry>
}

/** RCU of an item of up to 4 KB in a transaction. */
export const READ_UNITS = 2
/** DynamoDB's cap on the items of a transaction. */
const MOST_ITEMS = 100
const MAX_CONFLICTS = 40

/** Cuts units into groups that fit into one transaction with the checkpoints of so many shards; no more than `most` items if that can be. */
export function groupUnits(units: readonly Unit[], shards: number, most: number = MOST_ITEMS): Unit[][] {
  const groups: Unit[][] = []
  let room = 0
  for (const unit of units) {
    const items = unitKeys(unit).length
    if (items + shards > MOST_ITEMS) {
      throw new LapidaryError(
        'not_implemented',
        `${unit.target.PK} ${unit.target.SK} has ${items} items and the change stream ${shards} open shards; together they must be ${MOST_ITEMS} or fewer, to be read at one moment`,
      )
    }
    if (items > room) {
      groups.push([])
      room = Math.min(MOST_ITEMS - shards, Math.max(items, most))
    }
    groups.at(-1)?.push(unit)
    room -= items
  }
  return groups
}

/** The keys of a unit's items, the statistics item first. */
export function unitKeys({ derived, target, seenSortKeys }: Unit): readonly TargetKey[] {
  const sortKeys = new Set([target.SK, ...derived.leaderboards(target, undefined).keys(), ...seenSortKeys])
  return [...sortKeys].map((SK) => ({ PK: target.PK, SK }))
}

/** Reads units and checkpoints in one transaction, which is a serializable snapshot. Costs 2 RCU for each item of up to 4 KB. */
export async function takeCut(
  table: TableClient,
  shardIds: readonly string[],
  units: readonly Unit[],
  budget: CapacityBudget,
  signal?: AbortSignal,
): Promise<Cut> {
  const keys = [...shardIds.map(checkpointKey), ...units.flatMap(unitKeys)]
  const TransactItems = keys.map(
    (key): TransactGetItem => ({ Get: { TableName: table.tableName, Key: keyEntry(key) } }),
  )
  for (let attempt = 1; ; attempt++) {
    const reserved = keys.length * READ_UNITS
    await budget.reserve(reserved, signal)
    try {
      const { Responses = [], ConsumedCapacity } = await table.send(
        new TransactGetItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' }),
      )
      budget.settle(reserved, sumOf(ConsumedCapacity))
      const entries = new Map<string, Entry>()
      Responses.forEach(({ Item }, i) => {
        const key = keys[i]
        if (Item !== undefined && key !== undefined) entries.set(targetId(key), Item)
      })
      const checkpoints = new Map(
        shardIds.map((shardId) => [shardId, checkpointOf(entries.get(targetId(checkpointKey(shardId))))]),
      )
      return { units, checkpoints, entries }
    } catch (error) {
      if (cancellationCodes(error).length === 0) throw error
      if (attempt >= MAX_CONFLICTS) {
        throw new LapidaryError('unavailable', 'writes kept conflicting with the reading of derived data; try again', {
          cause: error,
        })
      }
      await table.sleep(jitteredDelay(Math.min(attempt, 4), table.random))
    }
  }
}

/** What a transaction took, in units. */
export function sumOf(consumed: readonly ConsumedCapacity[] | undefined): number | undefined {
  return consumed?.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
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
