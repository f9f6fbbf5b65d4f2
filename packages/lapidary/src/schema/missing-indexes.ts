import type { TableDescription, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { keyAttributes } from '../layouts/index-definition.ts'
import { LapidaryError } from '../model/errors.ts'
import { attributeDefinitions, globalSecondaryIndex, MOST_INDEXES, type TableDefinition } from './table-definition.ts'

/**
 * Returns the input of `UpdateTable` for each declared index that a table lacks, to be sent one after the other: DynamoDB adds and fills
 * one at a time. Indexes that no collection declares are left alone.
 *
 * @throws {LapidaryError} `table_mismatch` where the table would have more indexes than DynamoDB allows.
 */
export function missingIndexes(
  { tableName, indexes }: TableDefinition,
  table: TableDescription,
): readonly UpdateTableCommandInput[] {
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
}

/** Returns the capacity of a new index: in a table with provisioned capacity, as much as the table has. */
function throughputOf({ BillingModeSummary, ProvisionedThroughput }: TableDescription): object {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = ProvisionedThroughput ?? {}
  const isOnDemand = BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' || WriteCapacityUnits === 0
  return isOnDemand ? {} : { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } }
}
