import { Duration } from 'aws-cdk-lib'
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { type ITableV2, Operation } from 'aws-cdk-lib/aws-dynamodb'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { ownMetric } from './alarms.ts'

/** What a dashboard shows at first; an API adds its own row. */
export interface Shown {
  readonly table: ITableV2
  readonly stream: IFunction
  readonly upkeep: IFunction
  readonly failures: IQueue
}

/** Adds the dashboard of a table: what it takes, how far what is derived is behind, and what fails. */
export function addDashboard(scope: Construct, { table, stream, upkeep, failures }: Shown): Dashboard {
  const dashboard = new Dashboard(scope, 'Dashboard', { defaultInterval: Duration.days(1) })
  dashboard.addWidgets(
    graph('Units a minute', [
      consumed(table, 'ConsumedReadCapacityUnits', 'read'),
      consumed(table, 'ConsumedWriteCapacityUnits', 'written'),
    ]),
    graph('Throttled requests', [
      table.metricThrottledRequestsForOperations({ operations: [Operation.QUERY, Operation.TRANSACT_WRITE_ITEMS] }),
    ]),
    graph('Milliseconds of a Query', [
      table.metricSuccessfulRequestLatency({ dimensionsMap: ofQuery(table), statistic: 'p50', label: 'p50' }),
      table.metricSuccessfulRequestLatency({ dimensionsMap: ofQuery(table), statistic: 'p99', label: 'p99' }),
    ]),
  )
  dashboard.addWidgets(
    graph('Lag', [
      stream.metric('IteratorAge', { statistic: 'Maximum', label: 'of the stream, ms' }),
      ownMetric(table, 'Lag').with({ label: 'of the counts, s' }),
    ]),
    graph('Lost and left over', [
      ownMetric(table, 'Gaps'),
      ownMetric(table, 'DeadLetters'),
      failures.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', label: 'events left' }),
    ]),
    graph('Stream and upkeep', runsOf('stream', stream).concat(runsOf('upkeep', upkeep))),
  )
  return dashboard
}

export function graph(title: string, left: readonly IMetric[]): GraphWidget {
  return new GraphWidget({ title, left: [...left], width: 8, height: 6 })
}

/** Returns what a function does in a minute. */
export function runsOf(name: string, of: IFunction): IMetric[] {
  const period = Duration.minutes(1)
  return [
    of.metricInvocations({ period, label: `${name}: runs` }),
    of.metricErrors({ period, label: `${name}: errors` }),
    of.metricThrottles({ period, label: `${name}: throttles` }),
  ]
}

function ofQuery({ tableName }: ITableV2): Record<string, string> {
  return { TableName: tableName, Operation: 'Query' }
}

function consumed({ tableName: TableName }: ITableV2, metricName: string, label: string): Metric {
  const period = Duration.minutes(1)
  return new Metric({
    ...{ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName }, statistic: 'Sum', period, label },
  })
}
