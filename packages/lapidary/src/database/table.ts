import type { TableDescription } from '@aws-sdk/client-dynamodb'
import type { TableDefinition } from '../schema/table-definition.ts'
import type { Database } from './database.ts'

/** The table of a database. */
export interface Table {
  /** Creates the table and waits until it can be used. False when it exists already. */
  create(): Promise<boolean>
  /** The table that the collections need, for `create` and the exports. */
  definition(): TableDefinition
  /** What DynamoDB says of the table; undefined when there is none. */
  describe(): Promise<TableDescription | undefined>
}

export function tableOf({ client, definition }: Pick<Database, 'client' | 'definition'>): Table {
  return Object.freeze<Table>({
    create: async () => (await import('../schema/create-table.ts')).createTable(client, definition),
    definition: () => definition,
    describe: async () => (await import('../schema/create-table.ts')).describeTable(client, definition.tableName),
  })
}
