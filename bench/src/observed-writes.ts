import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** The units of what was written so far. */
export interface Units {
  written: number
}

const WRITES = /^(Put|Update|Delete|TransactWrite|BatchWrite)Items?Command$/

/** Counts the units of all writes, those of the change stream's follower too, as the engine reports them. */
export function observeWrites(client: DynamoDBClient): Units {
  const units: Units = { written: 0 }
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!WRITES.test(commandName)) return next(args)
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as never })
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Capacity | readonly Capacity[] }
        for (const { CapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) units.written += CapacityUnits
        return result
      },
    { step: 'initialize', name: 'observeWrites' },
  )
  return units
}

interface Capacity {
  readonly CapacityUnits?: number
}
