import { RemovalPolicy } from 'aws-cdk-lib'
import {
  type Attribute,
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { type TableDefinition, tableFor } from 'lapidary'
import { accept } from './accepted.ts'
import type { FunctionConfig } from './functions/open-database.ts'
import type { LapidaryTableProps } from './table-props.ts'

type IndexDefinition = TableDefinition['indexes'][number]

/** The table that a configuration needs. Its name is the stack's matter, so here it has any. */
export function definitionOf({ collections, layout }: FunctionConfig): TableDefinition {
  return tableFor({ tableName: 'lapidary', collections, ...(layout === undefined ? {} : { layout }) })
}

/** Adds a new table, which outlives its stack, or takes over the one that is there. */
export function addTable(scope: Construct, definition: TableDefinition, props: LapidaryTableProps): ITableV2 {
  const { existing, encryptionKey } = props
  if (existing !== undefined) {
    return TableV2.fromTableAttributes(scope, 'Table', {
      ...{ tableArn: existing.tableArn, tableStreamArn: existing.streamArn, encryptionKey: existing.encryptionKey },
      globalIndexes: definition.indexes.map(({ name }) => name),
    })
  }
  const table = new TableV2(scope, 'Table', {
    tableName: props.tableName,
    partitionKey: { name: definition.keys.pk, type: AttributeType.STRING },
    sortKey: { name: definition.keys.sk, type: AttributeType.STRING },
    globalSecondaryIndexes: definition.indexes.map(indexProps),
    billing: props.billing ?? Billing.onDemand(),
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    timeToLiveAttribute: 'ttl',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: props.deletionProtection ?? true,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(encryptionKey === undefined ? {} : { encryption: TableEncryptionV2.customerManagedKey(encryptionKey) }),
  })
  if (encryptionKey === undefined) {
    accept(table, {
      id: 'CKV_AWS_119',
      reason: 'DynamoDB encrypts it with a key of its own; encryptionKey gives it one of the account',
    })
  }
  return table
}

function indexProps({ name, keys, include }: IndexDefinition): GlobalSecondaryIndexPropsV2 {
  return {
    indexName: name,
    ...keyProps('partition', keys.partition.map(attribute)),
    ...keyProps('sort', keys.sort.map(attribute)),
    ...(include === undefined || include.length === 0
      ? { projectionType: include === undefined ? ProjectionType.ALL : ProjectionType.KEYS_ONLY }
      : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...include] }),
  }
}

function keyProps(role: 'partition' | 'sort', attributes: readonly Attribute[]): Record<string, unknown> {
  return attributes.length === 1 ? { [`${role}Key`]: attributes[0] } : { [`${role}Keys`]: attributes }
}

function attribute({ name, type }: IndexDefinition['keys']['partition'][number]): Attribute {
  return { name, type: type === 'N' ? AttributeType.NUMBER : AttributeType.STRING }
}
