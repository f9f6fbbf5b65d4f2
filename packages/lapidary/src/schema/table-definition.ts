import { isDeepStrictEqual } from 'node:util'
import type {
  AttributeDefinition,
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
  Projection,
} from '@aws-sdk/client-dynamodb'
import { type IndexDefinition, type KeyAttribute, keyAttributes } from '../layouts/index-definition.ts'
import { LapidaryError } from '../model/errors.ts'
import { type KeyNames, USUAL_KEYS } from '../table/key-names.ts'
import { requireTableName } from '../table/table-name.ts'

/** The table that the declared collections need. */
export interface TableDefinition {
  readonly tableName: string
  readonly keys: KeyNames
  readonly indexes: readonly IndexDefinition[]
}

export const MOST_INDEXES = 20
const MOST_INCLUDED = 100

/**
 * Defines one table for all its collections; indexes with the same name are one index.
 *
 * @throws {LapidaryError} `declaration_invalid` when DynamoDB would refuse it: its name, 20 indexes, 100 projected attributes.
 */
export function defineTable(
  tableName: string,
  indexesOfCollections: readonly (readonly IndexDefinition[])[],
  keys: KeyNames = USUAL_KEYS,
): TableDefinition {
  requireTableName(tableName)
  const indexes = new Map<string, IndexDefinition>()
  for (const index of indexesOfCollections.flat()) {
    const known = indexes.get(index.name)
    indexes.set(index.name, known === undefined ? index : mergedIndex(known, index))
  }
  const included = [...indexes.values()].reduce((sum, { include }) => sum + (include?.length ?? 0), 0)
  if (indexes.size > MOST_INDEXES) {
    throw new LapidaryError(
      'declaration_invalid',
      `${indexes.size} indexes (${[...indexes.keys()].join(', ')}); DynamoDB allows ${MOST_INDEXES} for a table, so declare fewer`,
    )
  }
  if (included > MOST_INCLUDED) {
    throw new LapidaryError(
      'declaration_invalid',
      `the indexes project ${included} attributes in all; DynamoDB allows ${MOST_INCLUDED}, so declare fewer indexes or leave out the short names`,
    )
  }
  return Object.freeze({ tableName, keys, indexes: Object.freeze([...indexes.values()]) })
}

function mergedIndex(a: IndexDefinition, b: IndexDefinition): IndexDefinition {
  if (!isDeepStrictEqual(a.keys, b.keys)) {
    throw new LapidaryError(
      'declaration_invalid',
      `two collections declare index ${a.name} with different keys; rename one`,
    )
  }
  const include =
    a.include === undefined || b.include === undefined ? undefined : [...new Set([...a.include, ...b.include])]
  return { ...a, include }
}

/**
 * Returns the input of CreateTable: on demand, with a change stream of old and new images.
 *
 * @example
 * ```ts run
 * console.log(JSON.stringify(createTableInput(lapidary.table.definition()), null, 2))
 * ```
 */
export function createTableInput({ tableName, keys, indexes }: TableDefinition): CreateTableCommandInput {
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributeDefinitions([...tableKeys(keys), ...indexes.flatMap(keyAttributes)]),
    KeySchema: [
      { AttributeName: keys.pk, KeyType: 'HASH' },
      { AttributeName: keys.sk, KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: indexes.map(globalSecondaryIndex),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  }
}

function tableKeys({ pk, sk }: KeyNames): readonly KeyAttribute[] {
  return [
    { name: pk, type: 'S' },
    { name: sk, type: 'S' },
  ]
}

/**
 * Defines each key attribute once.
 *
 * @throws {LapidaryError} `declaration_invalid` for an attribute that would hold texts in one index and numbers in another.
 */
export function attributeDefinitions(keys: readonly KeyAttribute[]): AttributeDefinition[] {
  const types = new Map<string, KeyAttribute['type']>()
  for (const { name, type } of keys) {
    if ((types.get(name) ?? type) !== type) {
      throw new LapidaryError(
        'declaration_invalid',
        `${name} is a key that holds texts in one index and numbers in another; declare it with one type`,
      )
    }
    types.set(name, type)
  }
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }))
}

export function globalSecondaryIndex({ name, keys, include }: IndexDefinition): GlobalSecondaryIndex {
  const elements = (of: readonly KeyAttribute[], KeyType: 'HASH' | 'RANGE'): KeySchemaElement[] =>
    of.map(({ name: AttributeName }) => ({ AttributeName, KeyType }))
  return {
    IndexName: name,
    KeySchema: [...elements(keys.partition, 'HASH'), ...elements(keys.sort, 'RANGE')],
    Projection: projectionOf(include),
  }
}

function projectionOf(include: IndexDefinition['include']): Projection {
  if (include === undefined) return { ProjectionType: 'ALL' }
  return include.length === 0
    ? { ProjectionType: 'KEYS_ONLY' }
    : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...include] }
}

/**
 * Refuses indexes whose keys have several attributes on the embedded engine, which creates them and then fails each query.
 *
 * @throws {LapidaryError} `not_implemented`.
 * @example
 * ```ts run
 * requireMultiAttributeKeys(lapidary.table.definition(), { kind: 'embedded' })
 * ```
 */
export function requireMultiAttributeKeys({ indexes }: TableDefinition, engine: { readonly kind: string }): void {
  const index = indexes.find(({ keys }) => keys.partition.length > 1 || keys.sort.length > 1)
  if (index === undefined || engine.kind !== 'embedded') return
  throw new LapidaryError(
    'not_implemented',
    `the embedded engine can't query index ${index.name}, whose keys have several attributes (the layout native-keys); set DYNAMODB_ENDPOINT to a DynamoDB Local from 3.3 or to aws, or choose the layout indexes`,
  )
}
