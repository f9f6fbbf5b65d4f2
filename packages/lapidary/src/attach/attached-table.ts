import {
  type DynamoDBClient,
  ScanCommand,
  type TableDescription,
  type UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb'
import { keyAttributes } from '../layouts/index-definition.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { indexDifferences, type TableDifference } from '../schema/compare-table.ts'
import { describeTable } from '../schema/create-table.ts'
import type { IndexStates } from '../schema/index-states.ts'
import {
  attributeDefinitions,
  globalSecondaryIndex,
  MOST_INDEXES,
  type TableDefinition,
} from '../schema/table-definition.ts'
import type { Attachment, Attachments } from './attachment.ts'
import { sampleDifferences, strayDifferences } from './sample.ts'

/** The table of an attachment, and what it needs. */
export interface AttachedTable {
  /** The indexes that lists need, beside whatever the table has. */
  definition(): TableDefinition
  /**
   * What `UpdateTable` takes to add the indexes that the table lacks, one after the other: DynamoDB adds one at a time, and fills it. Reads
   * the table's description and writes nothing. Errors: `table_mismatch` without a table, or where it has too many indexes.
   */
  missing(): Promise<readonly UpdateTableCommandInput[]>
  /**
   * Whether the indexes are there, and whether items have what their keys are made of, and none of another kind lie among them: looks at the first 1,000 items of the table,
   * at most 1 MB (128 RCU).
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
      const there = (table.GlobalSecondaryIndexes ?? []).map(({ IndexName = '' }) => IndexName)
      const missing = indexes.filter(({ name }) => !there.includes(name))
      if (there.length + missing.length > MOST_INDEXES) {
        throw new LapidaryError(
          'table_mismatch',
          `${tableName} has ${there.length} indexes and would need ${missing.length} more (${missing.map(({ name }) => name).join(', ')}); DynamoDB allows ${MOST_INDEXES}, so declare fewer under indexes`,
        )
      }
      return missing.map((index) => ({
        TableName: tableName,
        AttributeDefinitions: attributeDefinitions(keyAttributes(index)),
        GlobalSecondaryIndexUpdates: [{ Create: { ...globalSecondaryIndex(index), ...throughputOf(table) } as never }],
      }))
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

/** Of a table with provisioned capacity each index has its own: as much as the table to begin with. */
function throughputOf({ BillingModeSummary, ProvisionedThroughput }: TableDescription): object {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = ProvisionedThroughput ?? {}
  const isOnDemand = BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' || WriteCapacityUnits === 0
  return isOnDemand ? {} : { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } }
}

function ofKind({ kind = {} }: Attachment, items: readonly Entry[]): readonly Entry[] {
  return items.filter((entry) => Object.entries(kind).every(([name, text]) => entry[name]?.S === text))
}
