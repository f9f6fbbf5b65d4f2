import type { GlobalSecondaryIndexDescription, KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb'
import { type IndexDefinition, keyAttributes } from '../layouts/index-definition.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import type { TableDefinition } from './table-definition.ts'

/** One difference between a table and its declaration. */
export interface TableDifference {
  readonly what: string
  readonly expected: string
  readonly actual: string
  readonly remedy: string
}

/**
 * Finds what keeps a table from serving its declaration. Indexes that no collection declares are left alone.
 *
 * @param ttlAttribute The attribute by which items expire; undefined when they don't.
 * @example
 * ```ts run
 * const table = await lapidary.table.describe()
 * const differences = table && compareTable(lapidary.table.definition(), table, 'ttl')
 * ```
 */
export function compareTable(
  definition: TableDefinition,
  table: TableDescription,
  ttlAttribute: string | undefined,
): readonly TableDifference[] {
  const differences: TableDifference[] = []
  const compare = (what: string, expected: string, actual: string, remedy: string): void => {
    if (expected !== actual) differences.push({ what, expected, actual, remedy })
  }
  const copy = 'a key never changes: export, make a new table, import'
  compare('primary key', `${definition.keys.pk}, ${definition.keys.sk}`, keyText(table.KeySchema), copy)
  for (const { index, ...difference } of indexDifferences(definition.indexes, table)) {
    const remedy =
      difference.actual === 'missing'
        ? `create the index ${index} with UpdateTable (lapidary table shows it), wait until it is ACTIVE, then lapidary backfill --index ${index}`
        : difference.remedy
    differences.push({ ...difference, remedy })
  }
  const stream = table.StreamSpecification
  compare(
    'change stream',
    'NEW_AND_OLD_IMAGES',
    stream?.StreamEnabled === true ? (stream.StreamViewType ?? 'enabled') : 'disabled',
    'turn it on with UpdateTable, StreamViewType NEW_AND_OLD_IMAGES; one of another kind has to be turned off first',
  )
  const expiry = `turn it on with UpdateTimeToLive, attribute ${TTL_ATTRIBUTE}`
  compare('time to live', TTL_ATTRIBUTE, ttlAttribute ?? 'disabled', expiry)
  return differences
}

/** One difference between an index and its declaration. */
export interface IndexDifference extends TableDifference {
  readonly index: string
}

/** Finds what is wrong with the indexes of a table, however they are filled. */
export function indexDifferences(
  indexes: readonly IndexDefinition[],
  table: TableDescription,
): readonly IndexDifference[] {
  return indexes.flatMap((index): readonly IndexDifference[] => {
    const { name } = index
    const live = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name)
    if (live === undefined) {
      const remedy = `create the index ${name} with UpdateTable, and wait until it is ACTIVE`
      return [{ index: name, what: `index ${name}`, expected: 'exists', actual: 'missing', remedy }]
    }
    const anew = `delete the index ${name} and create it as declared: neither its keys nor its projection can be changed`
    const keys = keyAttributes(index).map((key) => key.name)
    const compared: readonly TableDifference[] = [
      { what: `keys of index ${name}`, expected: keys.join(', '), actual: keyText(live.KeySchema), remedy: anew },
      { what: `projection of index ${name}`, expected: projected(index), actual: projectionText(live), remedy: anew },
      {
        ...{ what: `state of index ${name}`, expected: 'ACTIVE', actual: live.IndexStatus ?? 'ACTIVE' },
        remedy: 'wait: DynamoDB is still working on it',
      },
    ]
    return compared.flatMap((each) => (each.expected === each.actual ? [] : [{ index: name, ...each }]))
  })
}

/** Writes the names of a key's attributes for a message. */
export function keyText(schema: readonly KeySchemaElement[] = []): string {
  const names = (type: string): (string | undefined)[] =>
    schema.filter(({ KeyType }) => KeyType === type).map(({ AttributeName }) => AttributeName)
  return [...names('HASH'), ...names('RANGE')].join(', ')
}

function projected({ include }: IndexDefinition): string {
  if (include === undefined) return 'ALL'
  return include.length === 0 ? 'KEYS_ONLY' : `INCLUDE ${[...include].sort().join(', ')}`
}

function projectionText({
  Projection: { ProjectionType, NonKeyAttributes } = {},
}: GlobalSecondaryIndexDescription): string {
  return ProjectionType === 'INCLUDE'
    ? `INCLUDE ${[...(NonKeyAttributes ?? [])].sort().join(', ')}`
    : (ProjectionType ?? 'ALL')
}
