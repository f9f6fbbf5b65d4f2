import type { MetricKey } from './metric-list.ts'

/** When an operator should look, and what to do then: for Prometheus, and for CloudWatch where it has the metric. */
export interface Alarm {
  /** The name of the alert. */
  readonly name: string
  readonly metric: MetricKey
  /** Of a gauge its highest value, of a counter how much it grew in `minutes`; both have to be above this. */
  readonly above: number
  /** For so long. */
  readonly minutes: number
  readonly severity: 'page' | 'ticket'
  readonly summary: string
  /** What to do. */
  readonly description: string
}

/**
 * The alarms of a table.
 *
 * @example
 * ```ts
 * for (const { name, metric, above } of ALARMS) console.log(name, METRICS[metric].name, above)
 * ```
 */
export const ALARMS: readonly Alarm[] = [
  {
    ...{ name: 'LapidaryLag', metric: 'lag', above: 3_600, minutes: 5, severity: 'page' },
    summary: 'Counts and page numbers are an hour behind the table',
    description:
      'The change stream forgets after 24 hours. See whether the process or the function that follows it runs, and what its log says.',
  },
  {
    ...{ name: 'LapidaryGaps', metric: 'gaps', above: 0, minutes: 60, severity: 'page' },
    summary: 'The change stream has lost changes, and no repair has made up for them for an hour',
    description: 'Counts, leaderboards and page numbers are not told until then: run lapidary repair.',
  },
  {
    ...{ name: 'LapidaryDeadLetters', metric: 'deadLetters', above: 0, minutes: 5, severity: 'ticket' },
    summary: 'Changes could not be counted in full',
    description:
      'lapidary doctor tells of them, and stream.deadLetters.list() the reason of each; mend what they name, then run lapidary repair.',
  },
  {
    ...{ name: 'LapidaryRefusedCommits', metric: 'refusedCommits', above: 20, minutes: 15, severity: 'ticket' },
    summary: 'Transactions of derived data are refused again and again',
    description: 'Some come with each change of the lease. The label code tells more; throttles need capacity.',
  },
  {
    ...{ name: 'LapidaryUnready', metric: 'unready', above: 0, minutes: 120, severity: 'ticket' },
    summary: 'Derived data is not complete for two hours',
    description:
      'lapidary doctor tells which. A filling that was stopped goes on when it is run again: lapidary rebuild.',
  },
  {
    ...{ name: 'LapidaryUnreadyIndexes', metric: 'unreadyIndexes', above: 0, minutes: 120, severity: 'ticket' },
    summary: 'Lists are not read from an index for two hours',
    description: 'lapidary doctor tells why, and what to create or to backfill.',
  },
  {
    ...{ name: 'LapidaryShortPages', metric: 'shortPages', above: 100, minutes: 15, severity: 'ticket' },
    summary: 'Pages come back short, since they would read more than they may',
    description:
      'explain shows which filter reads much and lets little through; give it an index, or raise maxCapacity.',
  },
]
