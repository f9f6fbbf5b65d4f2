import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { sleep } from '../table/retrying.ts'
import { type CommandSender, createTableClient } from '../table/table-client.ts'
import type { Tries } from '../table/tries.ts'
import { createTableInput, type TableDefinition } from './table-definition.ts'

/**
 * Creates the table and waits until it can be used. Returns false when it exists already.
 *
 * @example
 * ```ts run
 * const isNew = await createTable(client, tableFor({ tableName, collections: { comments } }))
 * ```
 */
export async function createTable(client: DynamoDBClient, definition: TableDefinition): Promise<boolean> {
  const table = retryingClient(client, definition.tableName)
  const tries: Tries = { lost: false }
  try {
    await table.send(new CreateTableCommand(createTableInput(definition)), { tries } as never)
  } catch (error) {
    if (meaningOf(error) !== 'exists') throw error
    // After a try whose answer was lost the table is most likely our own, and lacks the rest.
    if (!tries.lost) return false
  }
  await waitUntilTableExists(
    { client: table, maxWaitTime: 120, minDelay: 1, maxDelay: 5 },
    { TableName: definition.tableName },
  )
  await expireItems(table, definition.tableName)
  return true
}

/** Turns expiry on. DynamoDB refuses that where it is on, as after a try whose answer was lost. */
async function expireItems(table: CommandSender, TableName: string): Promise<void> {
  const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true }
  try {
    await table.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
  } catch (error) {
    const { TimeToLiveDescription } = await table.send(new DescribeTimeToLiveCommand({ TableName }))
    const { TimeToLiveStatus = '', AttributeName } = TimeToLiveDescription ?? {}
    if (AttributeName !== TTL_ATTRIBUTE || !/^ENABL/.test(TimeToLiveStatus)) throw error
  }
}

/**
 * Returns DynamoDB's description of a table; undefined when there is no such table.
 *
 * @example
 * ```ts run
 * const state = (await describeTable(client, tableName))?.TableStatus
 * ```
 */
export async function describeTable(
  client: Pick<DynamoDBClient, 'send'>,
  tableName: string,
): Promise<TableDescription | undefined> {
  try {
    return (await retryingClient(client, tableName).send(new DescribeTableCommand({ TableName: tableName }))).Table
  } catch (error) {
    if (meaningOf(error) === 'absent') return undefined
    throw error
  }
}

/** Wraps a client with the retries and errors of the table client. */
function retryingClient<C extends CommandSender>(client: C, tableName: string): C {
  const { send } = createTableClient({ client, tableName, random: Math.random, sleep })
  return Object.create(client, { send: { value: send } }) as C
}
