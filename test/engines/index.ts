import { randomBytes } from 'node:crypto'
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { clientConfig } from 'lapidary-engine'
import { inject } from 'vitest'
import { createLightClient, createLightStreams } from './light-client.ts'
import { PROMPT_RETRIES } from './prompt-retries.ts'

/** An engine that the test run has started. */
export interface TestEngine {
  readonly name: 'embedded' | 'dynamodb-local' | 'moto' | 'ministack'
  readonly endpoint: string
  /** Whether connections to it break: its clients are the SDK's then, which try again. */
  readonly breaks?: boolean
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
export function createTestClient(engine: TestEngine): DynamoDBClient {
  return engine.breaks === true ? createSdkClient(engine) : createLightClient(engine.endpoint)
}

/** Makes a client of the same kind for a test engine's change streams. */
export function createTestStreams({ endpoint, breaks }: TestEngine): DynamoDBStreamsClient {
  return breaks === true
    ? new DynamoDBStreamsClient({ ...clientConfig(endpoint, {}), ...PROMPT_RETRIES })
    : createLightStreams(endpoint)
}

/** Makes a client of the SDK, where that is a part of the test. The caller destroys it. */
export function createSdkClient({ endpoint, breaks }: TestEngine): DynamoDBClient {
  return new DynamoDBClient({ ...clientConfig(endpoint, {}), ...(breaks === true ? PROMPT_RETRIES : {}) })
}

/** Drops the tables of a test, and destroys the client that made them. */
export async function dropTables(client: DynamoDBClient, tableNames: readonly string[]): Promise<void> {
  await Promise.all(tableNames.map((name) => dropTable(client, name)))
  client.destroy()
}

/** Drops a table; one that is gone was dropped by a try whose answer was lost. */
export async function dropTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName })).catch((error: Error) => {
    if (error.name !== 'ResourceNotFoundException') throw error
  })
}

/** Makes a table name that no other test of any run has. */
export function uniqueTableName(): string {
  return `test-${randomBytes(8).toString('hex')}`
}
