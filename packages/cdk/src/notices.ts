import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { accept } from './accepted.ts'
import type { LapidaryTableProps } from './table-props.ts'

/** Adds the queue of what no function could do: batches that the stream discarded, and upkeeps that failed. */
export function addFailures(scope: Construct, { encryptionKey }: LapidaryTableProps): Queue {
  const queue = new Queue(scope, 'Failures', {
    ...{ enforceSSL: true, retentionPeriod: Duration.days(14), removalPolicy: RemovalPolicy.RETAIN },
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  })
  accept(queue, { id: 'AwsSolutions-SQS3', reason: 'it is the queue of what is left over, and is read by people' })
  if (encryptionKey === undefined) {
    accept(queue, {
      id: 'CKV_AWS_27',
      reason: 'SQS encrypts it with a key of its own, which the rule does not know; see encryptionKey',
    })
  }
  return queue
}

/** Adds the topic of alarms. */
export function addTopic(scope: Construct, { encryptionKey, alarmEmails = [] }: LapidaryTableProps): Topic {
  const topic = new Topic(scope, 'Alarms', {
    enforceSSL: true,
    ...(encryptionKey === undefined ? {} : { masterKey: encryptionKey }),
  })
  for (const address of alarmEmails) topic.addSubscription(new EmailSubscription(address))
  if (encryptionKey === undefined) {
    accept(topic, {
      id: 'CKV_AWS_26',
      reason:
        'alarms hold names and figures, and CloudWatch may not use the key that AWS has for SNS; encryptionKey gives it one',
    })
  }
  return topic
}
