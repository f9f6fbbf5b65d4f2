import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from './table-client.ts'

/** The capacity units a second that maintenance may take; all its parts share them. */
export interface CapacityBudget {
  /** Waits until units are left, and takes what a request is expected to take. */
  reserve(units: number, signal: AbortSignal | undefined): Promise<void>
  /** Corrects the reserved units to what the request took. */
  charge(reserved: number, taken: number | undefined): void
  /** Units taken so far. */
  readonly spent: number
  /** Units a second; Infinity when nothing limits it. */
  readonly perSecond: number
}

/** Returns the most units that one request may be expected to take: a fraction of a second's, so that they are kept within each second. */
export function requestShare({ perSecond }: CapacityBudget): number {
  return Math.max(1, perSecond / 4)
}

/** The part of an answer that reports its capacity; a batch reports it for each table. */
interface Consuming {
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[]
}

/** Wraps a table so that every command waits for the budget and is expected to take this many units. */
export function withinBudget(
  table: TableClient,
  budget: CapacityBudget,
  units: number,
  signal: AbortSignal | undefined,
): TableClient {
  const send = async (command: never, settings?: never): Promise<unknown> => {
    await budget.reserve(units, signal)
    const output = (await table.send(command, settings)) as unknown as Consuming
    const { ConsumedCapacity: consumed } = output
    budget.charge(units, consumed && [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0))
    return output
  }
  return { ...table, send: send as TableClient['send'] }
}

/**
 * Makes a budget as a bucket of one second: after a request that took more, the next one waits.
 *
 * @throws {LapidaryError} `unprocessable` for a capacity that is not above 0.
 */
export function createCapacityBudget(perSecond: number, now: () => number): CapacityBudget {
  if (!(perSecond > 0)) {
    throw new LapidaryError('unprocessable', `the capacity is ${perSecond} units a second; give more than 0`)
  }
  let spent = 0
  let left = perSecond
  let filledAt = now()
  const fill = (): void => {
    const at = now()
    left = Math.min(perSecond, left + ((at - filledAt) / 1000) * perSecond)
    filledAt = at
  }
  return {
    perSecond,
    get spent() {
      return spent
    },
    async reserve(units, signal) {
      if (perSecond === Number.POSITIVE_INFINITY) return
      for (fill(); left <= 0; fill()) {
        await sleep(Math.max(5, (-left / perSecond) * 1000), undefined, signal === undefined ? {} : { signal })
      }
      left -= units
    },
    charge(reserved, taken = reserved) {
      spent += taken
      if (perSecond !== Number.POSITIVE_INFINITY) left += reserved - taken
    },
  }
}
