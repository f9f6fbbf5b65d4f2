import {
  type IndexDefinition,
  isTextIndex,
  keyAttributes,
  type TextIndexDefinition,
} from '../layouts/index-definition.ts'
import type { Collection } from '../model/collection.ts'
import { LapidaryError } from '../model/errors.ts'
import { globalSecondaryIndex, type TableDefinition } from './table-definition.ts'

/** A data model of NoSQL Workbench for DynamoDB (File, Import data model). */
export interface WorkbenchModel {
  readonly ModelName: string
  readonly ModelMetadata: Readonly<Record<string, string>>
  readonly DataModel: readonly unknown[]
}

/**
 * Writes the table as a NoSQL Workbench model, with the stored names of the collections' attributes.
 *
 * @example
 * ```ts run
 * console.log(JSON.stringify(workbenchModel(lapidary.table.definition(), [comments]), null, 2))
 * ```
 */
export function workbenchModel(definition: TableDefinition, collections: readonly Collection[]): WorkbenchModel {
  const { tableName, indexes } = definition
  const texts = indexes.map(withTextKeys)
  const keys = new Set(texts.flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]))
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
        KeyAttributes: { PartitionKey: attribute(definition.keys.pk), SortKey: attribute(definition.keys.sk) },
        NonKeyAttributes: [...keys, ...names].map(attribute),
        TableFacets: [],
        GlobalSecondaryIndexes: texts.map((index) => ({
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

function withTextKeys(index: IndexDefinition): TextIndexDefinition {
  if (isTextIndex(index)) return index
  throw new LapidaryError(
    'not_implemented',
    `a data model of NoSQL Workbench holds one attribute for each key, and index ${index.name} has ${keyAttributes(index).length}; take another format`,
  )
}

/** Gives each attribute the type text: keys are texts, and a table knows no types of the others, so the model's are for its reader only. */
function attribute(name: string): { AttributeName: string; AttributeType: 'S' } {
  return { AttributeName: name, AttributeType: 'S' }
}

function storedNames({ attributes }: Collection): readonly string[] {
  return Object.values(attributes ?? {}).map(({ name }) => name)
}
