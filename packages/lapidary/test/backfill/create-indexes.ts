import { setTimeout as sleep } from 'node:timers/promises'
import { DescribeTableCommand, type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import type { Table } from 'lapidary'

/** Creates the indexes that a table lacks, one at a time; those that are not declared stay. */
export async function createIndexes(client: DynamoDBClient, table: Table): Promise<void> {
  for (const update of await table.missing()) {
    await client.send(new UpdateTableCommand(update))
    const [{ Create } = {}] = update.GlobalSecondaryIndexUpdates ?? []
    await untilBuilt(client, table.definition().tableName, Create?.IndexName)
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
