import {
  type AttributeValue,
  CreateTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'

/** A table with `pk` and `sk`, and so many indexes `gsi1` with `gsi1pk` and `gsi1sk`: as the entity libraries' guides have it. */
export async function createPlainTable(client: DynamoDBClient, TableName: string, indexes: number): Promise<void> {
  const names = ['', ...Array.from({ length: indexes }, (_, i) => `gsi${i + 1}`)]
  const keysOf = (prefix: string) => [
    { AttributeName: `${prefix}pk`, KeyType: 'HASH' as const },
    { AttributeName: `${prefix}sk`, KeyType: 'RANGE' as const },
  ]
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: keysOf('') },
      AttributeDefinitions: names.flatMap(keysOf).map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexes: names.slice(1).map((IndexName) => ({
        ...{ IndexName, KeySchema: keysOf(IndexName) },
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName })
}

/** An item of the document client as DynamoDB has it. */
export function inDynamoForm(item: object): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true })
}
