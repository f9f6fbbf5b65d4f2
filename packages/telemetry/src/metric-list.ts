/** A metric, as Prometheus, CloudWatch, dashboards, alerts and the documents have it. */
export interface Metric {
  /** The name in Prometheus. */
  readonly name: string
  /** The name in CloudWatch, in the namespace `Lapidary` with the dimension `table`; without one it is not sent there. */
  readonly cloudWatch?: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** CloudWatch's word for the unit. */
  readonly unit: 'Count' | 'Seconds'
  readonly labels: readonly string[]
  readonly help: string
}

/**
 * The namespace of the metrics in CloudWatch.
 *
 * @example
 * ```ts
 * console.log(NAMESPACE, METRICS.deadLetters.cloudWatch)
 * ```
 */
export const NAMESPACE = 'Lapidary'

/** The upper bounds of histograms, in seconds. */
export const BUCKETS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * All metrics. What is not in this list is emitted by no program of Lapidary's, and named by no dashboard and no alert.
 *
 * @example
 * ```ts
 * const names = Object.values(METRICS).map(({ name }) => name)
 * ```
 */
export const METRICS = {
  requestDuration: {
    name: 'http_request_duration_seconds',
    kind: 'histogram',
    unit: 'Seconds',
    labels: ['route', 'method', 'status'],
    help: 'Time to answer a request.',
  },
  operationDuration: {
    name: 'collection_operation_duration_seconds',
    kind: 'histogram',
    unit: 'Seconds',
    labels: ['collection', 'operation', 'code'],
    help: 'Time of an operation of a collection, by its error code; ok where it has none.',
  },
  readUnits: {
    name: 'collection_read_units_total',
    cloudWatch: 'ReadUnits',
    kind: 'counter',
    unit: 'Count',
    labels: ['collection', 'operation', 'lists'],
    help: 'Read units that DynamoDB reported, by operation of a collection and by the lists of the plan.',
  },
  writeUnits: {
    name: 'collection_write_units_total',
    cloudWatch: 'WriteUnits',
    kind: 'counter',
    unit: 'Count',
    labels: ['collection', 'operation', 'lists'],
    help: 'Write units that DynamoDB reported, by operation of a collection.',
  },
  shortPages: {
    name: 'collection_short_pages_total',
    cloudWatch: 'ShortPages',
    kind: 'counter',
    unit: 'Count',
    labels: ['collection', 'limit'],
    help: 'Pages that a budget ended early, or left without an item.',
  },
  consumedUnits: {
    name: 'dynamodb_consumed_capacity_units_total',
    kind: 'counter',
    unit: 'Count',
    labels: ['operation', 'kind'],
    help: 'Capacity that DynamoDB reported, by operation.',
  },
  lag: {
    name: 'derived_data_lag_seconds',
    cloudWatch: 'Lag',
    kind: 'gauge',
    unit: 'Seconds',
    labels: [],
    help: 'How far the slowest shard is behind; -1 while this process follows none.',
  },
  gaps: {
    name: 'derived_data_gaps',
    cloudWatch: 'Gaps',
    kind: 'gauge',
    unit: 'Count',
    labels: [],
    help: 'Shards whose changes the change stream has lost in part.',
  },
  deadLetters: {
    name: 'derived_data_dead_letters',
    cloudWatch: 'DeadLetters',
    kind: 'gauge',
    unit: 'Count',
    labels: [],
    help: 'Changes that could not be counted in full.',
  },
  commits: {
    name: 'derived_data_commits_total',
    kind: 'counter',
    unit: 'Count',
    labels: ['outcome'],
    help: 'Transactions of derived data: written, spent where another had made it, or refused.',
  },
  refusedCommits: {
    name: 'derived_data_refused_commits_total',
    cloudWatch: 'RefusedCommits',
    kind: 'counter',
    unit: 'Count',
    labels: ['code'],
    help: 'Transactions of derived data that were not made. They are tried again in parts, or from the checkpoint.',
  },
  unready: {
    name: 'derived_data_unready',
    cloudWatch: 'Unready',
    kind: 'gauge',
    unit: 'Count',
    labels: [],
    help: 'Kinds of declared derived data that are not complete.',
  },
  derivedReady: {
    name: 'derived_data_ready',
    kind: 'gauge',
    unit: 'Count',
    labels: ['collection', 'name'],
    help: '1 where a kind of derived data holds every item, else 0.',
  },
  unreadyIndexes: {
    name: 'indexes_unready',
    cloudWatch: 'UnreadyIndexes',
    kind: 'gauge',
    unit: 'Count',
    labels: [],
    help: 'Indexes that lists are not read from, since they are absent or filling.',
  },
  indexReady: {
    name: 'index_ready',
    kind: 'gauge',
    unit: 'Count',
    labels: ['collection', 'index'],
    help: '1 where lists are read from an index, else 0.',
  },
} as const

/** The name of a metric in {@link METRICS}. */
export type MetricKey = keyof typeof METRICS

METRICS satisfies Readonly<Record<MetricKey, Metric>>

/** The labels of a metric, each with its value. */
export type LabelsOf<K extends MetricKey> = Readonly<Record<(typeof METRICS)[K]['labels'][number], string>>

/** Takes values of metrics: adds to a counter, sets a gauge, or counts in a histogram. */
export interface MetricSink {
  record<K extends MetricKey>(metric: K, value: number, labels: LabelsOf<K>): void
}
