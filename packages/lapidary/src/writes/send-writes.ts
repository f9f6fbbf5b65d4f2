import {
  DeleteItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'
import { cancellationCodes, validationMessage } from '../table/transaction.ts'

/** What came of writes. */
export interface Sent {
  /** `refused`: the condition does not hold. `conflict`: another transaction is at one of the items. */
  readonly outcome: 'written' | 'refused' | 'conflict'
  /** Which of several writes was refused. */
  readonly refused?: number
  /** What a single delete removed. */
  readonly removed?: Entry | undefined
}

/** What a caller asks DynamoDB to tell of its writes. */
type Asked = Pick<TransactWriteItemsCommandInput, 'ReturnConsumedCapacity'>

/** The same, and the token by which DynamoDB knows the transaction. */
type AskedOnce = Asked & Pick<TransactWriteItemsCommandInput, 'ClientRequestToken'>

/** Makes writes that belong together: one as itself, at half the price, several as a transaction. */
export async function sendWrites(
  table: TableClient,
  writes: readonly TransactWriteItem[],
  asked: Asked = {},
): Promise<Sent> {
  const [only] = writes
  if (only === undefined) return { outcome: 'written' }
  if (writes.length > 1) return sendTransaction(table, writes, asked)
  try {
    return { outcome: 'written', removed: await sendOne(table, only, asked) }
  } catch (error) {
    if (isConditionFailure(error)) return { outcome: 'refused' }
    throw asRefused(error)
  }
}

/** Makes writes as a transaction, be there one of them or several. */
export async function sendTransaction(
  table: TableClient,
  writes: readonly TransactWriteItem[],
  asked: AskedOnce = {},
): Promise<Sent> {
  try {
    await table.send(new TransactWriteItemsCommand({ TransactItems: [...writes], ...asked }))
    return { outcome: 'written' }
  } catch (error) {
    const codes = cancellationCodes(error)
    const refused = codes.indexOf('ConditionalCheckFailed')
    if (refused >= 0) return { outcome: 'refused', refused }
    if (codes.includes('TransactionConflict')) return { outcome: 'conflict' }
    throw asRefused(error)
  }
}

async function sendOne(
  table: TableClient,
  { Put, Update, Delete }: TransactWriteItem,
  asked: Asked,
): Promise<Entry | undefined> {
  if (Put !== undefined) await table.send(new PutItemCommand({ ...Put, ...asked }))
  if (Update !== undefined) await table.send(new UpdateItemCommand({ ...Update, ...asked }))
  if (Delete === undefined) return undefined
  return (await table.send(new DeleteItemCommand({ ...Delete, ReturnValues: 'ALL_OLD', ...asked }))).Attributes
}

/** What DynamoDB says of an item of more than 400 KB, or with lists and maps in one another more than 32 levels deep. */
const TOO_MUCH = /item size (to update )?has exceeded|nesting levels have exceeded/i

/** An item that DynamoDB can't hold is the caller's to change; everything else stays as it is. */
function asRefused(error: unknown): unknown {
  const complaint = validationMessage(error)
  if (complaint === undefined || !TOO_MUCH.test(complaint)) return error
  return new LapidaryError(
    'unprocessable',
    `the item is more than DynamoDB holds, 400 KB and 32 levels: ${complaint}; make it smaller, or keep a part of it elsewhere`,
    { cause: error },
  )
}

function isConditionFailure(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException'
}
