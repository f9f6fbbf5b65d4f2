import {
  type AttributeValue,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb'
import { entryBytes } from './comments.ts'

type Entry = Record<string, AttributeValue>

/** Write units of everything that a client sent for derived data. */
export interface WriteUnits {
  transactions: number
  /** Transactions that were refused; they are billed like the others. */
  refused: number
  /** Units of the items counted into. */
  items: number
  /** Units of leaderboard items and their entries in the index. */
  boards: number
  /** Units of checkpoints and leases. */
  checkpoints: number
  /** Units of leases only, which cost the same however much is counted. */
  leases: number
}

const UNIT_BYTES = 1024

/**
 * Counts what a client's writes cost by DynamoDB's rule, which emulators do not know for transactions: a unit for each KB,
 * an index entry 1 when it is put or removed and 2 when its key changes, and all of it twice in a transaction.
 */
export function countWriteUnits(client: DynamoDBClient): WriteUnits {
  const units: WriteUnits = { transactions: 0, refused: 0, items: 0, boards: 0, checkpoints: 0, leases: 0 }
  const sortKeys = new Map<string, string | undefined>()

  const refuse = ({ TransactItems = [] }: TransactWriteItemsCommandInput): void => {
    units.refused += 1
    for (const { Put, Update } of TransactItems) {
      const size = Put?.Item === undefined ? 1 : unitsOf(Put.Item)
      if (Update !== undefined) units.checkpoints += 2
      else units.items += 2 * size
    }
  }
  const transact = ({ TransactItems = [] }: TransactWriteItemsCommandInput): void => {
    units.transactions += 1
    for (const { Put, Delete, Update } of TransactItems) {
      const key = Put?.Item ?? Delete?.Key ?? Update?.Key ?? {}
      const kind = key.PK?.S?.split(/[#.]/, 1)[0] ?? ''
      const size = Put?.Item === undefined ? 1 : unitsOf(Put.Item)
      if (Update !== undefined) units.checkpoints += 2
      else if (kind === '~counts') units.items += 2 * size
      else if (kind === '~leaders') units.boards += 2 * (size + indexUnits(key, Put?.Item?.s?.S))
      else throw new Error(`an item of derived data that the bench does not know: ${kind}`)
    }
  }
  const indexUnits = ({ PK, SK }: Entry, after: string | undefined): number => {
    const id = `${PK?.S} ${SK?.S}`
    const before = sortKeys.get(id)
    sortKeys.set(id, after)
    return before === after ? 0 : before === undefined || after === undefined ? 1 : 2
  }

  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args).catch((error: unknown) => {
          if (error instanceof TransactionCanceledException) refuse(args.input as TransactWriteItemsCommandInput)
          throw error
        })
        if (commandName === 'TransactWriteItemsCommand') transact(args.input as TransactWriteItemsCommandInput)
        if (commandName === 'UpdateItemCommand') {
          units.checkpoints += 1
          units.leases += 1
        }
        return result
      },
    { step: 'initialize', name: 'countWriteUnits' },
  )
  return units
}

function unitsOf(entry: Entry): number {
  return Math.max(1, Math.ceil(entryBytes(entry) / UNIT_BYTES))
}
