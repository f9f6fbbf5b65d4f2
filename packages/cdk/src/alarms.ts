import { Duration } from 'aws-cdk-lib'
import {
  type Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { TABLE_ALARMS } from 'lapidary/schema'

/** The namespace of the metrics that the functions emit, each with the dimension `table`. */
export const NAMESPACE = 'Lapidary'

/** One alarm: what it watches, and what it says. */
export interface AlarmSettings {
  readonly says: string
  readonly metric: IMetric
  /** It is raised above this. */
  readonly above: number
  /** How many periods in a row; 1 when not given. */
  readonly periods?: number
}

/** Makes the function that adds alarms which tell a topic. */
export function alarmsTo(topic: ITopic): (scope: Construct, id: string, settings: AlarmSettings) => Alarm {
  return (scope, id, { says, metric, above, periods = 1 }) =>
    raised(metric, scope, id, topic, {
      ...{ alarmDescription: says, threshold: above, evaluationPeriods: periods },
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
}

function raised(
  metric: IMetric,
  scope: Construct,
  id: string,
  topic: ITopic,
  options: Parameters<MathExpression['createAlarm']>[2],
): Alarm {
  const alarm = (metric as Metric | MathExpression).createAlarm(scope, id, options)
  alarm.addAlarmAction(new SnsAction(topic))
  alarm.addOkAction(new SnsAction(topic))
  return alarm
}

/** What a table's alarms watch. */
export interface Watched {
  readonly table: ITableV2
  readonly stream: IFunction
  readonly upkeep: IFunction
  readonly failures: IQueue
  readonly lag: Duration
  readonly topic: ITopic
}

const MINUTES = Duration.minutes(5)
/** Three runs are missed by then, and the handler takes new shards for lost ones after 18 hours. */
const UPKEEP_HOURS = 12

/** Adds the alarms of a table and of the functions that keep what is derived. */
export function addTableAlarms(scope: Construct, { table, stream, upkeep, failures, lag, topic }: Watched): void {
  const add = alarmsTo(topic)
  add(scope, 'CountsAreLate', {
    says: 'Counts and page numbers are behind the table: see the log of the stream function; the stream forgets after 24 hours',
    metric: stream.metric('IteratorAge', { statistic: 'Maximum', period: MINUTES }),
    above: lag.toMilliseconds(),
  })
  for (const [name, each] of Object.entries({ Stream: stream, Upkeep: upkeep })) {
    add(scope, `${name}Fails`, {
      says: `The ${name.toLowerCase()} function fails; what it could not do is done again, and its log says why`,
      metric: each.metricErrors({ period: MINUTES }),
      above: 0,
      // One that is tried again with success is no matter for a person at night.
      periods: name === 'Stream' ? 3 : 1,
    })
    add(scope, `${name}IsThrottled`, {
      says: `Lambda throttles the ${name.toLowerCase()} function: its reserved concurrency or the account's is used up`,
      metric: each.metricThrottles({ period: MINUTES }),
      above: 0,
      periods: 3,
    })
  }
  add(scope, 'EventsWereLeft', {
    says: 'An upkeep failed for good, or the stream discarded changes: the queue says which; run lapidary repair',
    metric: failures.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: MINUTES }),
    above: 0,
  })
  for (const { name, says, metrics, statistic, period, periods } of TABLE_ALARMS) {
    const each = metrics.map(({ namespace, metric: metricName, operation }) => {
      const own = { [namespace === NAMESPACE ? 'table' : 'TableName']: table.tableName }
      const dimensionsMap = operation === undefined ? own : { ...own, Operation: operation }
      return new Metric({ namespace, metricName, dimensionsMap, statistic, period: Duration.seconds(period) })
    })
    add(scope, name, { says, metric: sumOf(each), above: 0, periods })
  }
  const done = new MathExpression({
    label: 'upkeeps that ended well',
    expression: 'runs - failed',
    usingMetrics: {
      runs: upkeep.metricInvocations({ period: Duration.hours(UPKEEP_HOURS) }),
      failed: upkeep.metricErrors({ period: Duration.hours(UPKEEP_HOURS) }),
    },
    period: Duration.hours(UPKEEP_HOURS),
  })
  raised(done, scope, 'UpkeepDoesNotRun', topic, {
    alarmDescription: `No upkeep ended well in ${UPKEEP_HOURS} hours; after 18 every new shard of the stream is noted as a gap`,
    ...{ threshold: 1, evaluationPeriods: 1, comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD },
    // A function that is not invoked has no metric.
    treatMissingData: TreatMissingData.BREACHING,
  })
}

function sumOf(metrics: readonly Metric[]): IMetric {
  const [only, ...others] = metrics
  if (only !== undefined && others.length === 0) return only
  const usingMetrics = Object.fromEntries(metrics.map((metric, i) => [`m${i}`, metric]))
  return new MathExpression({ expression: 'SUM(METRICS())', usingMetrics, period: MINUTES })
}

/** Returns a metric that the functions emit of a table. */
export function ownMetric({ tableName }: ITableV2, metricName: string): Metric {
  return new Metric({
    ...{ namespace: NAMESPACE, metricName, dimensionsMap: { table: tableName } },
    ...{ statistic: 'Maximum', period: MINUTES },
  })
}
