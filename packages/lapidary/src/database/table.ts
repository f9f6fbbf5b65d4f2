import type { TableDescription } from '@aws-sdk/client-dynamodb'
import type { TableDefinition } from '../schema/table-definition.ts'
import type { Database } from './database.ts'

/** The table of a database. */
export interface Table {
  /**
   * Creates the table and waits until it can be used. False when it exists already.
   *
   * @example
   * ```ts run
   * const isNew = await lapidary.table.create()
   * ```
   */
  create(): Promise<boolean>
  /**
   * The table that the collections need, for `create` and the exports.
   *
   * @example
   * ```ts run
   * const { indexes } = lapidary.table.definition()
   * ```
   */
  definition(): TableDefinition
  /**
   * What DynamoDB says of the table; undefined when there is none.
   *
   * @example
   * ```ts run
   * const size = (await lapidary.table.describe())?.TableSizeBytes
   * ```
   */
  describe(): Promise<TableDescription | undefined>
}

export function tableOf({ client, definition }: Pick<Database, 'client' | 'definition'>): Table {
  return Object.freeze<Table>({
    create: async () => (await import('../schema/create-table.ts')).createTable(client, definition),
    definition: () => definition,
    describe: async () => (await import('../schema/create-table.ts')).describeTable(client, definition.tableName),
  })
}
