import { randomUUID } from 'node:crypto'
import {
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  type TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { SendSettings, TableClient } from './table-client.ts'

/** The settings of a transaction. */
export type TransactionSettings = SendSettings &
  Pick<TransactWriteItemsCommandInput, 'ClientRequestToken' | 'ReturnConsumedCapacity'>

/**
 * Sends a transaction with a token, by which DynamoDB knows it for ten minutes: it is made once, however often it is sent because it was
 * throttled or its answer was lost. The SDK makes a token for each `send`, and so would give the same transaction another one.
 */
export function transactWrites(
  table: TableClient,
  writes: readonly TransactWriteItem[],
  { ClientRequestToken = newToken(), ReturnConsumedCapacity, ...settings }: TransactionSettings = {},
): Promise<TransactWriteItemsCommandOutput> {
  const input = { TransactItems: [...writes], ClientRequestToken, ReturnConsumedCapacity }
  return table.send(new TransactWriteItemsCommand(input), settings)
}

/** Makes a token without the `random` from outside: one that repeats itself would make two transactions one, and lose the second. */
export function newToken(): string {
  return randomUUID()
}
