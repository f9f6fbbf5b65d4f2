import type { AttributeValue, DynamoDBClient, TransactWriteItem, WriteRequest } from '@aws-sdk/client-dynamodb'

type Entry = Record<string, AttributeValue>

/** Requests of a client, and the write units that they take. */
export interface RequestUnits {
  /** By the name of the command. */
  readonly requests: Record<string, number>
  writeUnits: number
  /** Items of the collection that scans gave. */
  scanned: number
}

interface Written {
  readonly RequestItems?: Record<string, readonly WriteRequest[]>
  readonly TransactItems?: readonly TransactWriteItem[]
  readonly Item?: Entry
}

const UNIT_BYTES = 1024
/** A write in a transaction takes twice what it takes alone. */
const TRANSACTED = 2
/** Items of the collection begin so; those of derived data begin with `~`. */
const ITEM_PREFIX = 'COMMENT#'

/** Counts requests and write units by DynamoDB's rule: a unit for each KB, and one for the entry in the index of leaderboards. */
export function countRequests(client: DynamoDBClient): RequestUnits {
  const counted: RequestUnits = { requests: {}, writeUnits: 0, scanned: 0 }
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        counted.requests[commandName] = (counted.requests[commandName] ?? 0) + 1
        const { RequestItems = {}, TransactItems = [], Item } = args.input as Written
        if (commandName === 'TransactWriteItemsCommand') {
          for (const { Put } of TransactItems) counted.writeUnits += TRANSACTED * unitsOf(Put?.Item)
        }
        if (commandName === 'BatchWriteItemCommand') {
          for (const { PutRequest } of Object.values(RequestItems).flat())
            counted.writeUnits += unitsOf(PutRequest?.Item)
        }
        if (['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand'].includes(commandName)) {
          counted.writeUnits += unitsOf(Item)
        }
        const result = await next(args)
        if (commandName === 'ScanCommand') {
          const { Items = [] } = result.output as { readonly Items?: readonly Entry[] }
          counted.scanned += Items.filter(({ PK }) => PK?.S?.startsWith(ITEM_PREFIX)).length
        }
        return result
      },
    { step: 'initialize', name: 'countRequests' },
  )
  return counted
}

function unitsOf(entry: Entry | undefined): number {
  if (entry === undefined) return 1
  const isOnBoard = entry.PK?.S?.startsWith('~leaders') === true && entry.s !== undefined
  return Math.max(1, Math.ceil(bytesOf({ M: entry }) / UNIT_BYTES)) + (isOnBoard ? 1 : 0)
}

/** Bytes of a value, by DynamoDB's rule. */
function bytesOf({ S, N, B, L = [], SS = [], M = {} }: AttributeValue): number {
  const named = Object.entries(M).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value), 0)
  const listed = [...L, ...SS.map((text) => ({ S: text }))].reduce((sum, value) => sum + 1 + bytesOf(value), 0)
  const digits = N === undefined ? 0 : Math.ceil(N.length / 2) + 1
  return named + listed + digits + Buffer.byteLength(S ?? '') + (B?.byteLength ?? 0)
}
