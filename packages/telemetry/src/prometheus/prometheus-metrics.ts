import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { BUCKETS, METRICS, type Metric, type MetricKey, type MetricSink } from '../metric-list.ts'

/** Metrics of a registry of prom-client. */
export interface PrometheusMetrics extends MetricSink {
  /** Takes a gauge back whose value is no longer known: it is absent until it is recorded again. */
  forget(metric: GaugeKey): void
}

type GaugeKey = { [K in MetricKey]: (typeof METRICS)[K]['kind'] extends 'gauge' ? K : never }[MetricKey]

/**
 * Registers the metrics with a registry of prom-client.
 *
 * @example
 * ```ts
 * import { Registry } from 'prom-client'
 *
 * const registry = new Registry()
 * const metrics = prometheusMetrics(registry)
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, observers: [measuring(metrics)] })
 * ```
 */
export function prometheusMetrics(registry: Registry): PrometheusMetrics {
  const recorders = new Map(Object.entries(METRICS).map(([key, metric]) => [key, recorder(metric, registry)]))
  return {
    record: (metric: MetricKey, value: number, labels: Labels) => recorders.get(metric)?.record(labels, value),
    forget: (metric) => recorders.get(metric)?.forget(),
  }
}

type Labels = Readonly<Record<string, string>>

interface Recorder {
  readonly record: (labels: Labels, value: number) => void
  readonly forget: () => void
}

function recorder({ name, help, kind, labels }: Metric, registry: Registry): Recorder {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  if (kind === 'histogram') {
    const histogram = new Histogram({ ...options, buckets: [...BUCKETS] })
    return { record: (given, value) => histogram.observe(given, value), forget: () => histogram.reset() }
  }
  if (kind === 'counter') {
    const counter = new Counter(options)
    return { record: (given, value) => counter.inc(given, value), forget: () => counter.reset() }
  }
  const gauge = new Gauge(options)
  // Without labels a reset means 0, as a new gauge has it.
  const forget = (): void => (labels.length === 0 ? gauge.remove() : gauge.reset())
  forget()
  return { record: (given, value) => gauge.set(given, value), forget }
}
