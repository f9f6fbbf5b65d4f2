import { randomBytes } from 'node:crypto'
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { clientConfig } from 'lapidary-engine'
import { inject } from 'vitest'
import { createLightClient, createLightStreams } from './light-client.ts'

/** An engine that the test run has started. */
export interface TestEngine {
  readonly name: 'embedded' | 'dynamodb-local'
  readonly endpoint: string
}

/** Returns the engines that every test of behaviour runs on: the embedded one forgives what AWS and DynamoDB Local do not. */
export function testEngines(): TestEngine[] {
  const engines: readonly TestEngine[] = [
    { name: 'embedded', endpoint: inject('embeddedEndpoint') },
    { name: 'dynamodb-local', endpoint: inject('dynamodbLocalEndpoint') },
  ]
  // A mutation run starts one.
  return engines.filter(({ endpoint }) => endpoint !== '')
}

/** Makes a client of a test engine without the SDK's middleware; the caller destroys it. */
export function createTestClient({ endpoint }: TestEngine): DynamoDBClient {
  return createLightClient(endpoint)
}

/** Makes a client of the same kind for a test engine's change streams. */
export function createTestStreams({ endpoint }: TestEngine): DynamoDBStreamsClient {
  return createLightStreams(endpoint)
}

/** Makes a client of the SDK, where that is a part of the test. The caller destroys it. */
export function createSdkClient({ endpoint }: TestEngine): DynamoDBClient {
  return new DynamoDBClient(clientConfig(endpoint, {}))
}

/** Drops the tables of a test, and destroys the client that made them. */
export async function dropTables(client: DynamoDBClient, tableNames: readonly string[]): Promise<void> {
  await Promise.all(tableNames.map((TableName) => client.send(new DeleteTableCommand({ TableName }))))
  client.destroy()
}

/** Makes a table name that no other test of any run has. */
export function uniqueTableName(): string {
  return `test-${randomBytes(8).toString('hex')}`
}
