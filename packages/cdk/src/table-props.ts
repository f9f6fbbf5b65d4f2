import type { Duration } from 'aws-cdk-lib'
import type { Billing } from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { FunctionConfig } from './functions/open-database.ts'

/** A table that is there already: of another stack, or restored from a backup. */
export interface ExistingTable {
  readonly tableArn: string
  /** The ARN of its stream, with old and new images: `TableDescription.LatestStreamArn`. */
  readonly streamArn: string
  /** The key that encrypts it, where it is one of your own. */
  readonly encryptionKey?: IKey
}

/** The properties of {@link LapidaryTable}. */
export interface LapidaryTableProps {
  /** The default export of `lapidary.config.ts`. */
  readonly config: FunctionConfig
  /** The file that exports `config`: the functions are bundled with it, so it should import little else. */
  readonly entry: string

  /** A table to take over; a new one when not given. Nothing of it is changed. */
  readonly existing?: ExistingTable
  /** The name of a new table; CloudFormation makes one up when not given, so that a stack can be there twice. */
  readonly tableName?: string
  /** `Billing.provisioned()` with its capacities; on demand when not given. */
  readonly billing?: Billing
  /** Whether DynamoDB refuses to delete a new table; true when not given. */
  readonly deletionProtection?: boolean
  /** A key of your own for table, queue, topic, logs and secrets; the keys of AWS when not given. */
  readonly encryptionKey?: IKey
  readonly tags?: Readonly<Record<string, string>>

  /** Variables of all functions, for what `entry` reads. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether X-Ray follows requests through the functions; true when not given. */
  readonly tracing?: boolean
  /** How long logs are kept; a year when not given. */
  readonly logRetention?: RetentionDays
  /** The most batches of the stream at a time: one for each open shard. 100 when not given. */
  readonly streamConcurrency?: number
  /** How often the upkeep runs; 4 hours when not given, and at most 12, since a shard is forgotten some 20 hours after it closes. */
  readonly upkeepEvery?: Duration
  /**
   * Partition keys that projections of your own write beside `~…`, as patterns of IAM: `AUTHOR#*`. The role of the stream may write no others.
   */
  readonly projectionKeys?: readonly string[]
  /** Partition keys of which projections of your own follow the changes, beside those of items, as beginnings: `NOTE#`. */
  readonly followedKeys?: readonly string[]
  /** Partition keys that the application writes beside its items, as patterns of IAM: `NOTE#*`. */
  readonly applicationKeys?: readonly string[]

  /** Where alarms are told; a topic of the table's own when not given. */
  readonly alarmTopic?: ITopic
  /** Addresses that are written to at each alarm, by the table's own topic. */
  readonly alarmEmails?: readonly string[]
  /** How far counts may be behind before there is an alarm; 5 minutes when not given. The stream forgets after 24 hours. */
  readonly lagAlarm?: Duration
}
