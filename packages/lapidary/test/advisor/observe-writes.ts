import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'

interface Capacity {
  readonly CapacityUnits?: number
}

const WRITES = /^((Put|Update|Delete)Item|TransactWriteItems)Command$/

/** Counts the write units that an engine charges from now on for what a client sends. */
export function observeWrites(client: DynamoDBClient): { written: number } {
  const units = { written: 0 }
  const sender = client as unknown as { send: (command: { input: object }, ...rest: unknown[]) => Promise<unknown> }
  const send = sender.send.bind(client)
  sender.send = async (command, ...rest) => {
    if (!WRITES.test(command.constructor.name)) return send(command, ...rest)
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' })
    const output = await send(command, ...rest)
    const { ConsumedCapacity } = output as { ConsumedCapacity?: Capacity | readonly Capacity[] }
    for (const { CapacityUnits } of [ConsumedCapacity ?? {}].flat()) units.written += CapacityUnits ?? Number.NaN
    return output
  }
  return units
}
