import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Collections, createLapidary, type Lapidary, type LapidaryOptions } from 'lapidary'
import { createTestClient, dropTable, type TestEngine, uniqueTableName } from '../../../test/engines/index.ts'

/** A table of its own on a test engine; leave it with `await using`. */
export interface TestTable<C extends Collections> extends AsyncDisposable {
  readonly lapidary: Lapidary<C>
  readonly client: DynamoDBClient
  readonly tableName: string
}

/** Creates a table with the collections, and drops it when it is disposed of. */
export async function openTestTable<const C extends Collections>(
  engine: TestEngine,
  collections: C,
  options: Partial<Pick<LapidaryOptions<C>, 'clock' | 'maxSources' | 'layout' | 'hooks' | 'derived'>> = {},
): Promise<TestTable<C>> {
  const client = createTestClient(engine)
  const tableName = uniqueTableName()
  const lapidary = createLapidary({ client, tableName, collections, cursorSecret: 'a secret of the tests', ...options })
  await lapidary.table.create()
  return {
    lapidary,
    client,
    tableName,
    async [Symbol.asyncDispose]() {
      await dropTable(client, tableName)
      client.destroy()
    },
  }
}
