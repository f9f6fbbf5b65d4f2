import { ArnFormat, Stack } from 'aws-cdk-lib'
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'

const READ = ['kms:Decrypt', 'kms:DescribeKey']
/** What DynamoDB asks of who writes to a table with a key of the account. */
const WRITE = [
  ...READ,
  'kms:Encrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:GenerateDataKeyPair',
  'kms:GenerateDataKeyPairWithoutPlaintext',
]

/** Lets a role read what a key encrypts, or write it too. */
export function grantKey(key: IKey | undefined, grantee: IGrantable, use: 'read' | 'write'): void {
  key?.grant(grantee, ...(use === 'read' ? READ : WRITE))
}

/** Lets the services that write logs, alarms and left-over events use a key; of one that another stack made, its owner has to. */
export function letServicesUse(key: IKey, scope: Construct): void {
  const stack = Stack.of(scope)
  const { account, region } = stack
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': stack.formatArn({
            ...{ service: 'logs', resource: 'log-group', resourceName: '*', arnFormat: ArnFormat.COLON_RESOURCE_NAME },
          }),
        },
      },
    }),
  )
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com'), new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  )
}
