import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { type RoleName, type RoleResource, type RoleStatement, type RolesOf, roleConditions, rolesOf } from './roles.ts'
import { TABLE_ALARMS, type TableAlarm } from './table-alarms.ts'
import { createTableInput, type TableDefinition } from './table-definition.ts'

/** A CloudFormation template, which is JSON or, being JSON, YAML too. */
export interface CloudFormationTemplate {
  readonly AWSTemplateFormatVersion: '2010-09-09'
  readonly Description: string
  readonly Parameters: Readonly<Record<string, unknown>>
  readonly Conditions: Readonly<Record<string, unknown>>
  readonly Resources: Readonly<Record<string, unknown>>
  readonly Outputs: Readonly<Record<string, unknown>>
}

/** The words by which a printed stack says what it lacks. */
export const NOT_PRINTED =
  'without the functions that keep what is derived, an API and their alarms: lapidary-cdk makes those'

/**
 * Writes the table as a CloudFormation template with its change stream, expiry, recovery to a point in time, protection from being deleted, and
 * alarms; and, of collections, a policy for each role. It outlives its stack.
 *
 * @example
 * ```ts run
 * const template = cloudFormationTemplate(lapidary.table.definition(), { collections: { comments } })
 * console.log(JSON.stringify(template, null, 2))
 * ```
 */
export function cloudFormationTemplate(definition: TableDefinition, roles?: RolesOf): CloudFormationTemplate {
  const { StreamSpecification, ...properties } = createTableInput(definition)
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `The table ${definition.tableName}, ${NOT_PRINTED}`,
    Parameters: {
      AlarmTopic: { Type: 'String', Default: '', Description: 'The ARN of the SNS topic that alarms are told to' },
    },
    Conditions: { HasTopic: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AlarmTopic' }, ''] }] } },
    Resources: {
      Table: {
        Type: 'AWS::DynamoDB::Table',
        Metadata: { checkov: { skip: [OF_AWS_KEY] } },
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          ...properties,
          // CloudFormation turns the stream on when it is specified; StreamEnabled is not a property there.
          StreamSpecification: { StreamViewType: StreamSpecification?.StreamViewType },
          TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: true,
        },
      },
      ...Object.fromEntries(TABLE_ALARMS.map((alarm) => [alarm.name, alarmResource(alarm)])),
      ...(roles === undefined ? {} : policies(definition, roles)),
    },
    Outputs: {
      TableName: { Value: { Ref: 'Table' } },
      TableArn: { Value: { 'Fn::GetAtt': ['Table', 'Arn'] } },
      StreamArn: { Value: { 'Fn::GetAtt': ['Table', 'StreamArn'] } },
      ...(roles === undefined
        ? {}
        : Object.fromEntries(ROLES.map(([, name]) => [`${name}Arn`, { Value: { Ref: name } }]))),
    },
  }
}

/** A rule of checkov that the table breaks on purpose, and why. */
const OF_AWS_KEY = {
  id: 'CKV_AWS_119',
  comment: 'DynamoDB encrypts it with a key of its own; SSESpecification gives it one of the account',
}

const ROLES: readonly (readonly [RoleName, string])[] = [
  ['reader', 'ReaderPolicy'],
  ['application', 'ApplicationPolicy'],
  ['projections', 'ProjectionsPolicy'],
  ['upkeep', 'UpkeepPolicy'],
  ['maintenance', 'MaintenancePolicy'],
]

function policies(definition: TableDefinition, of: RolesOf): Readonly<Record<string, unknown>> {
  const roles = rolesOf(of)
  return Object.fromEntries(
    ROLES.map(([role, name]) => [
      name,
      {
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: {
          Description: `${role} of the table ${definition.tableName}`,
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: roles[role].map((statement) => policyStatement(statement, (on) => arns(definition, on))),
          },
        },
      },
    ]),
  )
}

/** Returns a statement as a policy has it. */
export function policyStatement(
  statement: RoleStatement,
  resources: (on: RoleResource) => readonly unknown[],
): Readonly<Record<string, unknown>> {
  const Condition = roleConditions(statement)
  return {
    Effect: 'Allow',
    Action: statement.actions.map((action) => `dynamodb:${action}`),
    Resource: statement.on.flatMap(resources),
    ...(Condition === undefined ? {} : { Condition }),
  }
}

function arns({ indexes }: TableDefinition, on: RoleResource): readonly unknown[] {
  const byResource: Readonly<Record<RoleResource, readonly unknown[]>> = {
    table: [{ 'Fn::GetAtt': ['Table', 'Arn'] }],
    indexes: indexes.map(({ name }) => ({ 'Fn::Sub': `\${Table.Arn}/index/${name}` })),
    stream: [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }],
    any: ['*'],
  }
  return byResource[on]
}

function alarmResource({ says, metrics, statistic, period, periods }: TableAlarm): Readonly<Record<string, unknown>> {
  const queries = metrics.map(({ namespace, metric, operation }, i) => ({
    Id: `m${i}`,
    ReturnData: metrics.length === 1,
    MetricStat: {
      Metric: {
        ...{ Namespace: namespace, MetricName: metric },
        Dimensions: [
          { Name: namespace === 'Lapidary' ? 'table' : 'TableName', Value: { Ref: 'Table' } },
          ...(operation === undefined ? [] : [{ Name: 'Operation', Value: operation }]),
        ],
      },
      ...{ Period: period, Stat: statistic },
    },
  }))
  const sum = { Id: 'sum', Expression: 'SUM(METRICS())', ReturnData: true }
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: says,
      AlarmActions: [{ 'Fn::If': ['HasTopic', { Ref: 'AlarmTopic' }, { Ref: 'AWS::NoValue' }] }],
      ...{ ComparisonOperator: 'GreaterThanThreshold', Threshold: 0, EvaluationPeriods: periods },
      TreatMissingData: 'notBreaching',
      Metrics: [...queries, ...(metrics.length === 1 ? [] : [sum])],
    },
  }
}
