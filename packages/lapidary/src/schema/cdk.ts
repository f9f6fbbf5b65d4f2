import type { KeyAttribute } from '../layouts/index-definition.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import type { TableDefinition } from './table-definition.ts'

/**
 * Writes a function in TypeScript that adds the table to a CDK stack (aws-cdk-lib 2).
 *
 * @example
 * ```ts run
 * process.stdout.write(cdkCode(lapidary.table.definition()))
 * ```
 */
export function cdkCode({ tableName, keys: tableKeys, indexes }: TableDefinition): string {
  const secondary = indexes.flatMap(({ name, keys, include }) => [
    '      {',
    `        indexName: ${quotedText(name)},`,
    `        ${keyProperty('partition', keys.partition)},`,
    `        ${keyProperty('sort', keys.sort)},`,
    ...(include === undefined || include.length === 0
      ? [`        projectionType: ProjectionType.${include === undefined ? 'ALL' : 'KEYS_ONLY'},`]
      : [
          '        projectionType: ProjectionType.INCLUDE,',
          `        nonKeyAttributes: [${include.map(quotedText).join(', ')}],`,
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
    `    tableName: ${quotedText(tableName)},`,
    `    partitionKey: ${key({ name: tableKeys.pk, type: 'S' })},`,
    `    sortKey: ${key({ name: tableKeys.sk, type: 'S' })},`,
    '    billing: Billing.onDemand(),',
    '    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,',
    `    timeToLiveAttribute: ${quotedText(TTL_ATTRIBUTE)},`,
    '    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },',
    '    deletionProtection: true,',
    '    removalPolicy: RemovalPolicy.RETAIN,',
    '    globalSecondaryIndexes: [',
    ...secondary,
    '    ],',
    '  })',
    '}',
  ].join('\n')}\n`
}

/** Writes the property for one attribute, or for several: `partitionKeys`. */
function keyProperty(role: 'partition' | 'sort', attributes: readonly KeyAttribute[]): string {
  const [only, ...others] = attributes.map(key)
  return others.length === 0 ? `${role}Key: ${only}` : `${role}Keys: [${[only, ...others].join(', ')}]`
}

function key({ name, type }: KeyAttribute): string {
  return `{ name: ${quotedText(name)}, type: AttributeType.${type === 'N' ? 'NUMBER' : 'STRING'} }`
}

function quotedText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
