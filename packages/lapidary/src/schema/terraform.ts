import type { IndexDefinition } from '../layouts/index-definition.ts'
import { keyAttributes } from '../layouts/index-definition.ts'
import { LapidaryError } from '../model/errors.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { NOT_PRINTED, policyStatement } from './cloudformation.ts'
import { type RoleName, type RoleResource, type RolesOf, rolesOf } from './roles.ts'
import { TABLE_ALARMS, type TableAlarm } from './table-alarms.ts'
import { attributeDefinitions, type TableDefinition } from './table-definition.ts'

/** A configuration of Terraform in its JSON form, for a file `….tf.json`. */
export interface TerraformConfiguration {
  readonly '//': string
  readonly terraform: object
  readonly variable: object
  readonly resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly output: object
}

const TABLE = 'aws_dynamodb_table.lapidary'

/**
 * Writes the table for Terraform with what `cloudFormationTemplate` has: stream, expiry, recovery, protection, alarms, and of collections a policy for
 * each role.
 *
 * @throws {LapidaryError} `not_implemented` for an index whose keys have several attributes.
 * @example
 * ```ts run
 * const configuration = terraformConfiguration(lapidary.table.definition(), { collections: { comments } })
 * console.log(JSON.stringify(configuration, null, 2))
 * ```
 */
export function terraformConfiguration(definition: TableDefinition, roles?: RolesOf): TerraformConfiguration {
  const { tableName, keys, indexes } = definition
  const ownKeys = [keys.pk, keys.sk].map((name) => ({ name, type: 'S' as const }))
  const attributes = attributeDefinitions([...ownKeys, ...indexes.flatMap(keyAttributes)])
  return {
    '//': `The table ${tableName}, ${NOT_PRINTED}`,
    terraform: { required_providers: { aws: { source: 'hashicorp/aws', version: '>= 5.0' } } },
    variable: {
      alarm_topics: {
        type: 'list(string)',
        default: [],
        description: 'ARNs of the SNS topics that alarms are told to',
      },
    },
    resource: {
      aws_dynamodb_table: {
        lapidary: {
          ...{ name: tableName, billing_mode: 'PAY_PER_REQUEST', hash_key: keys.pk, range_key: keys.sk },
          attribute: attributes.map(({ AttributeName: name, AttributeType: type }) => ({ name, type })),
          global_secondary_index: indexes.map(indexBlock),
          ...{ stream_enabled: true, stream_view_type: 'NEW_AND_OLD_IMAGES' },
          ttl: [{ attribute_name: TTL_ATTRIBUTE, enabled: true }],
          point_in_time_recovery: [{ enabled: true }],
          deletion_protection_enabled: true,
          lifecycle: [{ prevent_destroy: true }],
        },
      },
      aws_cloudwatch_metric_alarm: Object.fromEntries(
        TABLE_ALARMS.map((alarm) => [snakeCase(alarm.name), alarmBlock(alarm, tableName)]),
      ),
      ...(roles === undefined ? {} : { aws_iam_policy: policies(definition, roles) }),
    },
    output: {
      table_name: { value: `\${${TABLE}.name}` },
      table_arn: { value: `\${${TABLE}.arn}` },
      stream_arn: { value: `\${${TABLE}.stream_arn}` },
    },
  }
}

function indexBlock({ name, keys, include }: IndexDefinition): object {
  const [[partition, ...morePartition], [sort, ...moreSort]] = [keys.partition, keys.sort]
  if (partition === undefined || sort === undefined || morePartition.length + moreSort.length > 0) {
    throw new LapidaryError(
      'not_implemented',
      `the keys of index ${name} have several attributes, which is not printed for Terraform; print create-table or cloudformation, or choose the layout indexes`,
    )
  }
  return {
    ...{ name, hash_key: partition.name, range_key: sort.name },
    ...(include === undefined || include.length === 0
      ? { projection_type: include === undefined ? 'ALL' : 'KEYS_ONLY' }
      : { projection_type: 'INCLUDE', non_key_attributes: include }),
  }
}

function policies(definition: TableDefinition, of: RolesOf): Readonly<Record<string, unknown>> {
  const roles = Object.entries(rolesOf(of)) as [RoleName, ReturnType<typeof rolesOf>[RoleName]][]
  return Object.fromEntries(
    roles.map(([role, statements]) => {
      const Statement = statements.map((statement) => policyStatement(statement, (on) => arns(definition, on)))
      return [
        role,
        {
          name: `${definition.tableName}-${role}`,
          description: `${role} of the table ${definition.tableName}`,
          policy: JSON.stringify({ Version: '2012-10-17', Statement }),
        },
      ]
    }),
  )
}

function arns({ indexes }: TableDefinition, on: RoleResource): readonly string[] {
  const byResource: Readonly<Record<RoleResource, readonly string[]>> = {
    table: [`\${${TABLE}.arn}`],
    indexes: indexes.map(({ name }) => `\${${TABLE}.arn}/index/${name}`),
    stream: [`\${${TABLE}.stream_arn}`],
    any: ['*'],
  }
  return byResource[on]
}

function alarmBlock({ name, says, metrics, statistic, period, periods }: TableAlarm, tableName: string): object {
  const queries = metrics.map(({ namespace, metric, operation }, i) => ({
    id: `m${i}`,
    return_data: metrics.length === 1,
    metric: [
      {
        ...{ namespace, metric_name: metric, period, stat: statistic },
        dimensions: {
          [namespace === 'Lapidary' ? 'table' : 'TableName']: `\${${TABLE}.name}`,
          ...(operation === undefined ? {} : { Operation: operation }),
        },
      },
    ],
  }))
  const sum = { id: 'sum', expression: 'SUM(METRICS())', return_data: true }
  return {
    ...{ alarm_name: `${tableName}-${name}`, alarm_description: says },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Terraform fills it in.
    alarm_actions: '${var.alarm_topics}',
    ...{ comparison_operator: 'GreaterThanThreshold', threshold: 0, evaluation_periods: periods },
    treat_missing_data: 'notBreaching',
    metric_query: [...queries, ...(metrics.length === 1 ? [] : [sum])],
  }
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
