import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CreateGlobalSecondaryIndexAction,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import type { TableDefinition } from 'lapidary'
import { createTableInput } from 'lapidary/schema'

/** Creates the indexes that a table lacks, one at a time, as doctor says; those that are not declared stay. */
export async function createIndexes(client: DynamoDBClient, definition: TableDefinition): Promise<void> {
  const { tableName: TableName } = definition
  const { GlobalSecondaryIndexes = [], AttributeDefinitions = [] } = createTableInput(definition)
  for (const index of GlobalSecondaryIndexes) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    if (Table?.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === index.IndexName)) continue
    const keys = index.KeySchema?.map(({ AttributeName }) => AttributeName) ?? []
    await client.send(
      new UpdateTableCommand({
        TableName,
        AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => keys.includes(AttributeName)),
        GlobalSecondaryIndexUpdates: [{ Create: index as CreateGlobalSecondaryIndexAction }],
      }),
    )
    await untilBuilt(client, TableName, index.IndexName)
  }
}

/** Deletes an index. */
export async function deleteIndex(client: DynamoDBClient, TableName: string, IndexName: string): Promise<void> {
  await client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] }))
  await untilBuilt(client, TableName, undefined)
}

async function untilBuilt(client: DynamoDBClient, TableName: string, name: string | undefined): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName })).catch(duringBuild)
    const indexes = Table?.GlobalSecondaryIndexes ?? []
    const isThere = name === undefined || indexes.some(({ IndexName }) => IndexName === name)
    if (Table !== undefined && isThere && indexes.every(({ IndexStatus = 'ACTIVE' }) => IndexStatus === 'ACTIVE'))
      return
    await sleep(20)
  }
}

/** DynamoDB Local now and then fails to describe a table of which it builds an index. */
function duringBuild(error: unknown): { readonly Table?: undefined } {
  if (error instanceof Error && error.name === 'InternalFailure') return {}
  throw error
}
