import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { TableDefinition } from 'lapidary'
import { indexes as indexesLayout } from 'lapidary'
import type { FunctionConfig } from './functions/open-database.ts'

/** The rights that parts of a program need on a table: docs/iam.md has the actions, and a test compares them with the calls. */
export interface TableRights {
  /** Lists, counts and reads items; writes nothing. */
  read(): PolicyStatement[]
  /** Reads, and writes items of the collections, and nothing that is derived from them. */
  write(): PolicyStatement[]
  /** Reads, and writes what is derived: counts, boards, page numbers, checkpoints. */
  project(): PolicyStatement[]
  /** Does what `project` does, and scans: fills and mends. */
  maintain(): PolicyStatement[]
}

const READ = ['Query', 'GetItem', 'BatchGetItem']
const WRITE = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem']
const FOLLOW = ['DescribeStream', 'GetShardIterator', 'GetRecords']
/** Everything that Lapidary keeps for itself; no item's partition begins so. */
const DERIVED = '~*'
/** The partition where programs note which counts and boards they read; the same item holds what is registered. */
const REGISTER = '~DERIVED'
const REGISTERED = ['revision', 'shapes']

export interface RightsOptions {
  readonly definition: TableDefinition
  readonly config: FunctionConfig
  readonly projectionKeys: readonly string[]
}

export function rightsOn(table: ITableV2, options: RightsOptions): TableRights {
  const { definition, config, projectionKeys } = options
  const { tableArn, tableStreamArn } = table
  const indexArns = definition.indexes.map(({ name }) => `${tableArn}/index/${name}`)
  const collections = Object.values(config.collections)
  const items = collections.map(({ name }) => `${name}#*`)
  const keptByStream = collections.flatMap((collection) => {
    const { duplicates } = (config.layout ?? indexesLayout()).of(collection)
    return duplicates === undefined ? [] : [`${collection.name}#*`]
  })
  const allow = (actions: readonly string[], resources: readonly (string | undefined)[], conditions?: object) =>
    new PolicyStatement({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: resources.filter((arn) => arn !== undefined),
      ...(conditions === undefined ? {} : { conditions: conditions as Record<string, object> }),
    })
  const allowWrites = (keys: readonly string[]) => allow(WRITE, [tableArn], onKeys(keys))
  const read = () => allow(READ, [tableArn, ...indexArns])
  const follow = () => [
    allow(FOLLOW, [tableStreamArn]),
    allow(['DescribeTable'], [tableArn]),
    // The event source mapping asks for it, and DynamoDB has no resource for it.
    allow(['ListStreams'], ['*']),
  ]
  return {
    read: () => [read()],
    write: () => [
      read(),
      allowWrites([...items, ...collections.map(({ name }) => `~once#${name}#*`)]),
      allow(['UpdateItem'], [tableArn], {
        ...onKeys([REGISTER]),
        'ForAllValues:StringNotEquals': { 'dynamodb:Attributes': REGISTERED },
      }),
    ],
    project: () => [read(), allowWrites([DERIVED, ...keptByStream, ...projectionKeys]), ...follow()],
    maintain: () => [
      allow([...READ, 'Scan'], [tableArn, ...indexArns]),
      allowWrites([DERIVED, ...items, ...projectionKeys]),
      ...follow(),
    ],
  }
}

/** Makes the condition that every item written has a partition key of one of these patterns. */
function onKeys(patterns: readonly string[]): Record<string, object> {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...new Set(patterns)] },
    // Of a request without a key the condition above would be true.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  }
}
