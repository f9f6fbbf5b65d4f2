/** An alarm on a table, which needs to know of no function. */
export interface TableAlarm {
  readonly name: string
  readonly says: string
  /** Metrics of DynamoDB are of an operation each, and are added up; those of Lapidary are of a table. */
  readonly metrics: readonly {
    readonly namespace: 'AWS/DynamoDB' | 'Lapidary'
    readonly metric: string
    readonly operation?: string
  }[]
  readonly statistic: 'Sum' | 'Maximum'
  /** Seconds. */
  readonly period: number
  /** How many periods in a row the sum is above 0. */
  readonly periods: number
}

const PERIOD = 300
const OPERATIONS = ['Query', 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'TransactWriteItems']
const ofOperations = (metric: string): TableAlarm['metrics'] =>
  OPERATIONS.map((operation) => ({ namespace: 'AWS/DynamoDB', metric, operation }))

/**
 * The alarms of every table, in each form in which a table is printed or made.
 *
 * @example
 * ```ts run
 * console.log(TABLE_ALARMS.map(({ name }) => name)) // [ 'TableIsThrottled', 'TableFails', 'DeadLetters', 'Gaps' ]
 * ```
 */
export const TABLE_ALARMS: readonly TableAlarm[] = [
  {
    name: 'TableIsThrottled',
    says: 'DynamoDB throttles requests: raise the capacity, or look for a partition that is asked too much',
    ...{ metrics: ofOperations('ThrottledRequests'), statistic: 'Sum', period: PERIOD, periods: 3 },
  },
  {
    name: 'TableFails',
    says: 'DynamoDB answers with errors of its own',
    ...{ metrics: ofOperations('SystemErrors'), statistic: 'Sum', period: PERIOD, periods: 3 },
  },
  {
    name: 'DeadLetters',
    says: 'Changes could not be counted; lapidary doctor names the items',
    ...{
      metrics: [{ namespace: 'Lapidary', metric: 'DeadLetters' }],
      statistic: 'Maximum',
      period: PERIOD,
      periods: 1,
    },
  },
  {
    name: 'Gaps',
    says: 'The stream has lost changes, so counts are unknown until the upkeep or lapidary repair has made up for them',
    ...{ metrics: [{ namespace: 'Lapidary', metric: 'Gaps' }], statistic: 'Maximum', period: PERIOD, periods: 1 },
  },
]
