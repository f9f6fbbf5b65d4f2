import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import type { TableDefinition } from './table-definition.ts'

/**
 * A function in TypeScript that adds the table to a CDK stack (aws-cdk-lib 2).
 *
 * @example
 * ```ts run
 * process.stdout.write(cdkCode(lapidary.table.definition()))
 * ```
 */
export function cdkCode({ tableName, indexes }: TableDefinition): string {
  const secondary = indexes.flatMap(({ name, partitionKey, sortKey, include }) => [
    '      {',
    `        indexName: ${quoted(name)},`,
    `        partitionKey: ${key(partitionKey)},`,
    `        sortKey: ${key(sortKey)},`,
    ...(include === undefined
      ? ['        projectionType: ProjectionType.ALL,']
      : [
          '        projectionType: ProjectionType.INCLUDE,',
          `        nonKeyAttributes: [${include.map(quoted).join(', ')}],`,
        ]),
    '      },',
  ])
  return `${[
    "import { RemovalPolicy } from 'aws-cdk-lib'",
    "import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb'",
    "import type { Construct } from 'constructs'",
    '',
    'export function addTable(scope: Construct): TableV2 {',
    "  return new TableV2(scope, 'Table', {",
    `    tableName: ${quoted(tableName)},`,
    `    partitionKey: ${key('PK')},`,
    `    sortKey: ${key('SK')},`,
    '    billing: Billing.onDemand(),',
    '    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,',
    `    timeToLiveAttribute: ${quoted(TTL_ATTRIBUTE)},`,
    '    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },',
    '    removalPolicy: RemovalPolicy.RETAIN,',
    '    globalSecondaryIndexes: [',
    ...secondary,
    '    ],',
    '  })',
    '}',
  ].join('\n')}\n`
}

function key(name: string): string {
  return `{ name: ${quoted(name)}, type: AttributeType.STRING }`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
