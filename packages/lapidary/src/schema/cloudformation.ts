import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { createTableInput, type TableDefinition } from './table-definition.ts'

/** A CloudFormation template, which is JSON or, being JSON, YAML too. */
export interface CloudFormationTemplate {
  readonly AWSTemplateFormatVersion: '2010-09-09'
  readonly Description: string
  readonly Resources: Readonly<Record<string, unknown>>
  readonly Outputs: Readonly<Record<string, unknown>>
}

/**
 * Writes the table as a CloudFormation template with its change stream, expiry and recovery to a point in time; it outlives its stack.
 *
 * @example
 * ```ts run
 * console.log(JSON.stringify(cloudFormationTemplate(lapidary.table.definition()), null, 2))
 * ```
 */
export function cloudFormationTemplate(definition: TableDefinition): CloudFormationTemplate {
  const { StreamSpecification, ...properties } = createTableInput(definition)
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `The table ${definition.tableName}`,
    Resources: {
      Table: {
        Type: 'AWS::DynamoDB::Table',
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          ...properties,
          // CloudFormation turns the stream on when it is specified; StreamEnabled is not a property there.
          StreamSpecification: { StreamViewType: StreamSpecification?.StreamViewType },
          TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      },
    },
    Outputs: {
      TableName: { Value: { Ref: 'Table' } },
      TableArn: { Value: { 'Fn::GetAtt': ['Table', 'Arn'] } },
      StreamArn: { Value: { 'Fn::GetAtt': ['Table', 'StreamArn'] } },
    },
  }
}
