import {
  type DynamoDBClient,
  ScanCommand,
  type TableDescription,
  type UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { indexDifferences, type TableDifference } from '../schema/compare-table.ts'
import { describeTable } from '../schema/create-table.ts'
import type { IndexStates } from '../schema/index-states.ts'
import { missingIndexes } from '../schema/missing-indexes.ts'
import type { TableDefinition } from '../schema/table-definition.ts'
import type { Attachment, Attachments } from './attachment.ts'
import { sampleDifferences, strayDifferences } from './sample.ts'

/** The table of an attachment, and what it needs. */
export interface AttachedTable {
  /** Returns the indexes that lists need, beside whatever the table has. */
  definition(): TableDefinition
  /**
   * Returns the input of `UpdateTable` for each index that the table lacks, to be sent one after the other: DynamoDB adds and fills one at a
   * time. It reads the table's description and writes nothing. Errors: `table_mismatch` without a table, or where it has too many indexes.
   */
  missing(): Promise<readonly UpdateTableCommandInput[]>
  /**
   * Checks that the indexes are there, that items have the attributes that keys are made from, and that no items of another kind lie among them.
   * It reads the first 1,000 items of the table, at most 1 MB (128 RCU).
   */
  check(): Promise<readonly TableDifference[]>
}

interface AttachedTableOptions {
  readonly client: DynamoDBClient
  readonly definition: TableDefinition
  readonly attachments: Attachments
  readonly states: IndexStates
}

const SAMPLE = 1_000

export function attachedTable({ client, definition, attachments, states }: AttachedTableOptions): AttachedTable {
  const { tableName, indexes } = definition
  const described = async (): Promise<TableDescription> => {
    const table = await describeTable(client, tableName)
    if (table !== undefined) return table
    throw new LapidaryError('table_mismatch', `there is no table ${tableName}; attach to one that exists`)
  }
  return Object.freeze<AttachedTable>({
    definition: () => definition,
    async missing() {
      const table = await described()
      states.changed()
      return missingIndexes(definition, table)
    },
    async check() {
      const table = await described()
      const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, Limit: SAMPLE }))
      return [
        ...indexDifferences(indexes, table),
        ...Object.values(attachments).flatMap((attachment) => {
          const own = ofKind(attachment, Items)
          const others = Items.filter((entry) => !own.includes(entry))
          return [...sampleDifferences(attachment, own), ...strayDifferences(attachment, others)]
        }),
      ]
    },
  })
}

function ofKind({ kind = {} }: Attachment, items: readonly Entry[]): readonly Entry[] {
  return items.filter((entry) => Object.entries(kind).every(([name, text]) => entry[name]?.S === text))
}
