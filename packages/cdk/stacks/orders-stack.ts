import { fileURLToPath } from 'node:url'
import { Duration, Stack, type StackProps } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { Billing, Capacity } from 'aws-cdk-lib/aws-dynamodb'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { LapidaryTable } from '../src/index.ts'
import config from './orders.config.ts'

/** A stack of orders with all that may differ: a key of the account, provisioned capacity, a name, several roles beside the API. */
export class OrdersStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props)
    const orders = new LapidaryTable(this, 'Orders', {
      ...{ config, entry: fileURLToPath(new URL('orders.config.ts', import.meta.url)) },
      billing: Billing.provisioned({
        readCapacity: Capacity.autoscaled({ minCapacity: 5, maxCapacity: 500 }),
        writeCapacity: Capacity.autoscaled({ minCapacity: 5, maxCapacity: 500 }),
      }),
      encryptionKey: new Key(this, 'Key', { enableKeyRotation: true }),
      ...{ alarmEmails: ['oncall@shop.example'], tags: { team: 'orders' } },
      ...{ upkeepEvery: Duration.hours(2), streamConcurrency: 20 },
    })
    const arn = `arn:aws:acm:us-east-1:${this.account}:certificate/12345678-1234-1234-1234-123456789012`
    orders.apiFor('Api', {
      ...{ writerToken: true, maxCapacity: 20, reservedConcurrency: 50, requestsOfAddress: 1000 },
      ...{
        domainNames: ['orders.shop.example'],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', arn),
      },
    })
    orders.apiFor('Reports', { writes: false, reservedConcurrency: 5 })
    orders.grantRead(new Role(this, 'Reader', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }))
    orders.grantWrite(new Role(this, 'Writer', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }))
  }
}
