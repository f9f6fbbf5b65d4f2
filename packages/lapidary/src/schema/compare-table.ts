import type { GlobalSecondaryIndexDescription, KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb'
import { type IndexDefinition, keyAttributes } from '../layouts/index-definition.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import type { TableDefinition } from './table-definition.ts'

/** One way in which a table is not as it was declared. */
export interface TableDifference {
  readonly what: string
  readonly expected: string
  readonly actual: string
  readonly remedy: string
}

/**
 * What keeps a table from serving its declaration. Indexes that no collection declares are left alone.
 *
 * @param ttlAttribute By which attribute items expire; undefined when they don't.
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
  compare('primary key', 'PK, SK', keyText(table.KeySchema), copy)
  for (const index of definition.indexes) {
    const live = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name)
    if (live === undefined) {
      const remedy = `create the index ${index.name} with UpdateTable (lapidary table shows it), wait until it is ACTIVE, then lapidary backfill --index ${index.name}`
      compare(`index ${index.name}`, 'exists', 'missing', remedy)
      continue
    }
    const anew = `delete the index ${index.name} and create it as declared: neither its keys nor its projection can be changed`
    const keys = keyAttributes(index).map(({ name }) => name)
    compare(`keys of index ${index.name}`, keys.join(', '), keyText(live.KeySchema), anew)
    compare(`projection of index ${index.name}`, projected(index), projectionText(live), anew)
    const status = live.IndexStatus ?? 'ACTIVE'
    compare(`state of index ${index.name}`, 'ACTIVE', status, 'wait: DynamoDB is still working on it')
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

function keyText(schema: readonly KeySchemaElement[] = []): string {
  const names = (type: string): (string | undefined)[] =>
    schema.filter(({ KeyType }) => KeyType === type).map(({ AttributeName }) => AttributeName)
  return [...names('HASH'), ...names('RANGE')].join(', ')
}

function projected({ include }: IndexDefinition): string {
  return include === undefined ? 'ALL' : `INCLUDE ${[...include].sort().join(', ')}`
}

function projectionText({
  Projection: { ProjectionType, NonKeyAttributes } = {},
}: GlobalSecondaryIndexDescription): string {
  return ProjectionType === 'INCLUDE'
    ? `INCLUDE ${[...(NonKeyAttributes ?? [])].sort().join(', ')}`
    : (ProjectionType ?? 'ALL')
}
