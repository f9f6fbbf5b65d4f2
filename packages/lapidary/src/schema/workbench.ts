import type { Collection } from '../model/collection.ts'
import { globalSecondaryIndex, type TableDefinition } from './table-definition.ts'

/** A data model of NoSQL Workbench for DynamoDB (File, Import data model). */
export interface WorkbenchModel {
  readonly ModelName: string
  readonly ModelMetadata: Readonly<Record<string, string>>
  readonly DataModel: readonly unknown[]
}

/**
 * The table as a NoSQL Workbench model, with the stored names of the collections' attributes.
 *
 * @example
 * ```ts run
 * console.log(JSON.stringify(workbenchModel(lapidary.table.definition(), [comments]), null, 2))
 * ```
 */
export function workbenchModel(definition: TableDefinition, collections: readonly Collection[]): WorkbenchModel {
  const { tableName, indexes } = definition
  const keys = new Set(indexes.flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]))
  const names = new Set(collections.flatMap(storedNames))
  return {
    ModelName: tableName,
    ModelMetadata: {
      Author: '',
      DateCreated: '',
      DateLastModified: '',
      Description: '',
      AWSService: 'Amazon DynamoDB',
      Version: '3.0',
    },
    DataModel: [
      {
        TableName: tableName,
        KeyAttributes: { PartitionKey: attribute('PK'), SortKey: attribute('SK') },
        NonKeyAttributes: [...keys, ...names].map(attribute),
        TableFacets: [],
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeyAttributes: { PartitionKey: attribute(index.partitionKey), SortKey: attribute(index.sortKey) },
          Projection: globalSecondaryIndex(index).Projection,
        })),
        TableData: [],
        DataAccess: { MySql: {} },
        SampleDataFormats: {},
        BillingMode: 'PAY_PER_REQUEST',
      },
    ],
  }
}

/** Keys are texts; of the other attributes a table knows no types, and the model's are for its reader only. */
function attribute(name: string): { AttributeName: string; AttributeType: 'S' } {
  return { AttributeName: name, AttributeType: 'S' }
}

function storedNames({ attributes }: Collection): readonly string[] {
  return Object.values(attributes ?? {}).map(({ name }) => name)
}
