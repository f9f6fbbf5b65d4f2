import { METRICS, type Metric, type MetricKey, type MetricSink, NAMESPACE } from './metric-list.ts'

/** Options of {@link embeddedMetrics}. */
export interface EmbeddedMetricsOptions {
  /** The value of the dimension `table`. */
  readonly table: string
  /** Takes a line; standard output when not given, past the console, which Lambda puts words before. */
  readonly write?: (line: string) => void
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
}

/** Metrics that wait to be written. */
export interface EmbeddedMetrics extends MetricSink {
  /**
   * Writes what has come since the last time, a line of JSON for each set of labels.
   *
   * @param afterMs Writes nothing unless so many milliseconds have gone by since the last time; 0 when not given.
   */
  flush(afterMs?: number): void
}

type Labels = Readonly<Record<string, string>>

/** CloudWatch keeps a series, at a price, for each value of a dimension; other labels are in the line, to be searched. */
const DIMENSION = 'collection'

/**
 * Keeps metrics for CloudWatch, which finds them in the log of a Lambda function (its embedded metric format). Those without a name for CloudWatch
 * are left out.
 *
 * @example
 * ```ts
 * const metrics = embeddedMetrics({ table: 'comments' })
 * metrics.record('deadLetters', 0, {})
 * metrics.flush()
 * ```
 */
export function embeddedMetrics({
  table,
  write = (line) => void process.stdout.write(line),
  clock = Date.now,
}: EmbeddedMetricsOptions): EmbeddedMetrics {
  const waiting = new Map<string, { readonly labels: Labels; readonly values: Map<Metric & Named, number> }>()
  let writtenAt = Number.NEGATIVE_INFINITY
  return {
    record(key: MetricKey, value: number, labels: Labels) {
      const metric: Metric = METRICS[key]
      if (!isNamed(metric)) return
      const name = JSON.stringify(labels)
      const { values } = waiting.get(name) ?? { values: new Map<Metric & Named, number>() }
      waiting.set(name, { labels, values })
      values.set(metric, metric.kind === 'counter' ? (values.get(metric) ?? 0) + value : value)
    },
    flush(afterMs = 0) {
      const now = clock()
      if (now - writtenAt < afterMs) return
      writtenAt = now
      for (const { labels, values } of waiting.values())
        write(`${JSON.stringify(lineOf(table, labels, values, now))}\n`)
      waiting.clear()
    },
  }
}

interface Named {
  readonly cloudWatch: string
}

function isNamed(metric: Metric): metric is Metric & Named {
  return metric.cloudWatch !== undefined
}

function lineOf(table: string, labels: Labels, values: ReadonlyMap<Metric & Named, number>, now: number): object {
  const all = [...values]
  return {
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: NAMESPACE,
          Dimensions: [['table'], ...(Object.hasOwn(labels, DIMENSION) ? [['table', DIMENSION]] : [])],
          Metrics: all.map(([{ cloudWatch, unit }]) => ({ Name: cloudWatch, Unit: unit })),
        },
      ],
    },
    table,
    ...labels,
    ...Object.fromEntries(all.map(([{ cloudWatch }, value]) => [cloudWatch, value])),
  }
}
