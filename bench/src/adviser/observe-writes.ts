import type { AttributeValue, DynamoDBClient, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'

interface Capacity {
  readonly CapacityUnits?: number
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, Capacity>>
}

/** A client, and whether its engine is the embedded one, which charges the indexes of a transaction once and not twice as DynamoDB does. */
export interface Charged {
  readonly client: DynamoDBClient
  readonly isEmbedded: boolean
}

interface Write {
  readonly Item?: Readonly<Record<string, AttributeValue>>
  readonly Key?: Readonly<Record<string, AttributeValue>>
}

const WRITES = /^((Put|Update|Delete)Item|TransactWriteItems)Command$/

/**
 * Counts the write units that an engine charges from now on for what a client writes.
 *
 * @param only `items`: what the change stream's runner writes of its own, checkpoints and leases, is left out.
 */
export function observeWrites({ client, isEmbedded }: Charged, only?: 'items'): { written: number } {
  const units = { written: 0 }
  const sender = client as unknown as { send: (command: { input: object }, ...rest: unknown[]) => Promise<unknown> }
  const send = sender.send.bind(client)
  sender.send = async (command, ...rest) => {
    if (!WRITES.test(command.constructor.name)) return send(command, ...rest)
    Object.assign(command.input, { ReturnConsumedCapacity: 'INDEXES' })
    const output = await send(command, ...rest)
    if (only === 'items' && isReserved(command.input as Write)) return output
    const { ConsumedCapacity } = output as { ConsumedCapacity?: Capacity | readonly Capacity[] }
    for (const charged of [ConsumedCapacity ?? {}].flat()) {
      units.written += charged.CapacityUnits ?? Number.NaN
      if (isEmbedded && 'TransactItems' in command.input) units.written += unitsOfIndexes(charged)
    }
    return output
  }
  return units
}

function unitsOfIndexes({ GlobalSecondaryIndexes = {} }: Capacity): number {
  return Object.values(GlobalSecondaryIndexes).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
}

/** Keys of what the library keeps beside the items begin with a tilde. */
function isReserved(input: Partial<TransactWriteItemsCommandInput> & Write): boolean {
  const writes = input.TransactItems?.flatMap((each) => Object.values(each) as Write[]) ?? [input]
  return writes.some(({ Item, Key }) => (Item ?? Key)?.PK?.S?.startsWith('~') === true)
}
