import { CustomResource, Duration, Tags } from 'aws-cdk-lib'
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { type CfnFunction, type Function as DeployedFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations'
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { accept } from './accepted.ts'
import { addFunction, LONG } from './added-function.ts'
import { addTableAlarms } from './alarms.ts'
import { LapidaryApi } from './api.ts'
import type { ApiProps } from './api-props.ts'
import { addDashboard } from './dashboard.ts'
import { grantKey, letServicesUse } from './keys.ts'
import { addFailures, addTopic } from './notices.ts'
import { rightsOn, type TableRights } from './rights.ts'
import { streamFilters } from './stream-filters.ts'
import { addTable, definitionOf } from './table.ts'
import type { LapidaryTableProps } from './table-props.ts'

const EVERY: Duration = Duration.hours(4)
const LONGEST_HOURS = 12

/**
 * A table of Lapidary with all that keeps it: its indexes, the function that counts its change stream, the upkeep, a queue for what is left over,
 * alarms and a dashboard. The table outlives the stack, and so do its secrets and logs.
 *
 * @example
 * ```ts
 * import { Stack } from 'aws-cdk-lib'
 *
 * class Shop extends Stack {
 *   readonly table = new LapidaryTable(this, 'Table', { config: { collections: { comments } }, entry: 'lapidary.config.ts' })
 * }
 * ```
 */
export class LapidaryTable extends Construct {
  readonly table: ITableV2
  /** Keeps counts, leaderboards and page numbers. */
  readonly stream: DeployedFunction
  /** Runs every few hours, and in deployments. */
  readonly upkeep: DeployedFunction
  /** Takes what the stream discards, and upkeeps that failed for good. */
  readonly failures: Queue
  readonly alarmTopic: ITopic
  readonly dashboard: Dashboard
  private readonly rights: TableRights
  private readonly props: LapidaryTableProps

  constructor(scope: Construct, id: string, props: LapidaryTableProps) {
    super(scope, id)
    const { config, upkeepEvery = EVERY, lagAlarm: lag = Duration.minutes(5) } = props
    const { projectionKeys = [], applicationKeys = [] } = props
    if (upkeepEvery.toHours({ integral: false }) > LONGEST_HOURS)
      throw new Error(`upkeepEvery is ${upkeepEvery.toHumanString()}; let it run every ${LONGEST_HOURS} hours at least`)
    this.props = props
    const definition = definitionOf(config)
    this.table = addTable(this, definition, props)
    this.rights = rightsOn(this.table, { definition, config, projectionKeys, applicationKeys })
    if (props.encryptionKey !== undefined) letServicesUse(props.encryptionKey, this)
    this.failures = addFailures(this, props)
    this.alarmTopic = props.alarmTopic ?? addTopic(this, props)

    this.stream = this.function('Stream', {
      description: 'Keeps counts, leaderboards and page numbers',
      code: { own: 'stream' },
      ...{ timeout: LONG, memorySize: 1024, reservedConcurrency: props.streamConcurrency ?? 100, environment: {} },
      rights: this.rights('projections'),
    })
    this.follow()
    this.upkeep = this.function('Upkeep', {
      description: 'Notes that quiet shards were read, fills what is new and mends what was lost',
      code: { own: 'upkeep' },
      ...{ timeout: LONG, memorySize: 2048, reservedConcurrency: 1, environment: {} },
      rights: this.rights('upkeep'),
    })
    this.schedule(upkeepEvery)

    const { table, stream, upkeep, failures, alarmTopic: topic } = this
    addTableAlarms(this, { table, stream, upkeep, failures, lag, topic })
    this.dashboard = addDashboard(this, { table, stream, upkeep, failures })
    for (const [name, value] of Object.entries(props.tags ?? {})) Tags.of(this).add(name, value)
  }

  /** Lets a function or another role list, count and read items, and write nothing. */
  grantRead(grantee: IGrantable): void {
    for (const statement of this.rights('reader')) grantee.grantPrincipal.addToPrincipalPolicy(statement)
    grantKey(this.props.encryptionKey, grantee, 'read')
  }

  /** Lets a function or another role read, and write items of the collections, and nothing that is derived from them. */
  grantWrite(grantee: IGrantable): void {
    for (const statement of this.rights('application')) grantee.grantPrincipal.addToPrincipalPolicy(statement)
    grantKey(this.props.encryptionKey, grantee, 'write')
  }

  /** Adds an HTTP API of the collections behind CloudFront: `lapidaryRoutes`, or an application of your own by `entry`. */
  apiFor(id: string, api: ApiProps = {}): LapidaryApi {
    const { table, alarmTopic, dashboard, rights, props } = this
    return new LapidaryApi(this, id, { table, alarmTopic, dashboard, rights, of: props, ...api })
  }

  private function(id: string, settings: Parameters<typeof addFunction>[2]): DeployedFunction {
    const environment = { ...settings.environment, TABLE_NAME: this.table.tableName }
    const made = addFunction(this, id, { ...settings, environment }, this.props)
    grantKey(this.props.encryptionKey, made, 'write')
    return made
  }

  /** Configures the stream's events as docs/change-stream.md has them. */
  private follow(): void {
    const { config, followedKeys = [] } = this.props
    this.stream.addEventSourceMapping('Changes', {
      eventSourceArn: this.table.tableStreamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      tumblingWindow: Duration.minutes(15),
      reportBatchItemFailures: true,
      parallelizationFactor: 1,
      batchSize: 1000,
      maxBatchingWindow: Duration.seconds(1),
      filters: streamFilters(config, followedKeys).map((pattern) => ({ pattern })),
      // Nothing is discarded before the stream forgets it.
      retryAttempts: -1,
      onFailure: new SqsDlq(this.failures),
    })
  }

  private schedule(every: Duration): void {
    this.upkeep.configureAsyncInvoke({
      ...{ retryAttempts: 2, maxEventAge: Duration.hours(1) },
      onFailure: new SqsDestination(this.failures),
    })
    accept(this.upkeep, {
      id: 'CKV_AWS_116',
      reason: 'its failure destination is a queue, which says more than one of letters',
    })
    new Rule(this, 'EveryFewHours', {
      description: 'A shard of the stream is forgotten some 20 hours after it closes',
      schedule: Schedule.rate(every),
      targets: [new LambdaFunction(this.upkeep, { deadLetterQueue: this.failures, retryAttempts: 2 })],
    })
    const code = (this.upkeep.node.defaultChild as CfnFunction).code as CfnFunction.CodeProperty
    const prepared = new CustomResource(this, 'Prepared', {
      serviceToken: this.upkeep.functionArn,
      resourceType: 'Custom::LapidaryPrepared',
      // Another code is another declaration, maybe.
      properties: { Code: code.s3Key },
      serviceTimeout: Duration.minutes(15),
    })
    // The policy of the role is a resource of its own, without which it could do nothing yet.
    const { role } = this.upkeep
    if (role !== undefined) prepared.node.addDependency(role)
  }
}
