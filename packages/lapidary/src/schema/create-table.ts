import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { meaningOf } from '../table/error-meaning.ts'
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
  try {
    await client.send(new CreateTableCommand(createTableInput(definition)))
  } catch (error) {
    if (meaningOf(error) === 'exists') return false
    throw error
  }
  await waitUntilTableExists(
    { client, maxWaitTime: 120, minDelay: 1, maxDelay: 5 },
    { TableName: definition.tableName },
  )
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: definition.tableName,
      TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
    }),
  )
  return true
}

/**
 * What DynamoDB says of a table; undefined when there is none.
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
    return (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table
  } catch (error) {
    if (meaningOf(error) === 'absent') return undefined
    throw error
  }
}
