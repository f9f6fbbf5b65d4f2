import { DeleteItemCommand, PutItemCommand, type TransactWriteItem, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { meaningOf, refusedPart, validationMessage } from '../table/error-meaning.ts'
import type { SendSettings, TableClient } from '../table/table-client.ts'
import { type TransactionSettings, transactWrites } from '../table/transaction.ts'
import type { Tries } from '../table/tries.ts'

/** The outcome of writes. */
export interface Sent {
  /** `refused`: the condition does not hold. `conflict`: another transaction is at one of the items. */
  readonly outcome: 'written' | 'refused' | 'conflict'
  /** The index of the write that was refused. */
  readonly refused?: number
  /** Whether an earlier try got no answer, so that it may have made the writes that are reported as not written. */
  readonly lost?: boolean
  /** The entry that a single delete removed. */
  readonly removed?: Entry | undefined
}

/** The settings by which a caller asks DynamoDB to report on its writes, and the token by which it knows a transaction. */
type Asked = Pick<TransactionSettings, 'ReturnConsumedCapacity' | 'ClientRequestToken'>

/** Makes writes that belong together: one as itself, at half the price, several as a transaction. */
export async function sendWrites(
  table: TableClient,
  writes: readonly TransactWriteItem[],
  asked: Asked = {},
): Promise<Sent> {
  const [only] = writes
  if (only === undefined) return { outcome: 'written' }
  if (writes.length > 1) return sendTransaction(table, writes, asked)
  const tries: Tries = { lost: false }
  try {
    return { outcome: 'written', removed: await sendOne(table, only, asked, tries) }
  } catch (error) {
    if (meaningOf(error) === 'condition') return { outcome: 'refused', lost: tries.lost }
    throw asRefused(error)
  }
}

/** Makes writes as a transaction, be it one or several. */
export async function sendTransaction(
  table: TableClient,
  writes: readonly TransactWriteItem[],
  asked: Asked = {},
): Promise<Sent> {
  const tries: Tries = { lost: false }
  try {
    await transactWrites(table, writes, { ...asked, tries })
    return { outcome: 'written' }
  } catch (error) {
    const meaning = meaningOf(error)
    // If an earlier try had made them, DynamoDB would know the token.
    if (meaning === 'condition') return { outcome: 'refused', refused: refusedPart(error) }
    if (meaning === 'conflict') return { outcome: 'conflict', lost: tries.lost }
    throw asRefused(error)
  }
}

async function sendOne(
  table: TableClient,
  { Put, Update, Delete }: TransactWriteItem,
  { ReturnConsumedCapacity }: Asked,
  tries: Tries,
): Promise<Entry | undefined> {
  const asked = { ReturnConsumedCapacity }
  const settings: SendSettings = { tries }
  if (Put !== undefined) await table.send(new PutItemCommand({ ...Put, ...asked }), settings)
  if (Update !== undefined) await table.send(new UpdateItemCommand({ ...Update, ...asked }), settings)
  if (Delete === undefined) return undefined
  return (await table.send(new DeleteItemCommand({ ...Delete, ReturnValues: 'ALL_OLD', ...asked }), settings))
    .Attributes
}

/** DynamoDB's message for an item of more than 400 KB, or with lists and maps nested more than 32 levels deep. */
const TOO_MUCH = /item size (to update )?has exceeded|nesting levels have exceeded/i

/** Turns DynamoDB's refusal of an item that it will never take into an error for the caller; every other error stays as it is. */
function asRefused(error: unknown): unknown {
  if (meaningOf(error) !== 'refused') return error
  const complaint = validationMessage(error) ?? ''
  const message = TOO_MUCH.test(complaint)
    ? `the item exceeds what DynamoDB holds, 400 KB and 32 levels: ${complaint}; make it smaller, or keep a part of it elsewhere`
    : `DynamoDB does not take the item: ${complaint}`
  return new LapidaryError('unprocessable', message, { cause: error })
}
