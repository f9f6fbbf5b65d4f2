import type { Observer } from 'lapidary'
import { type MetricSink, measuring } from 'lapidary-telemetry'
import { type PrometheusMetrics, prometheusMetrics } from 'lapidary-telemetry/prometheus'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { CapacityListener } from './capacity.ts'

/** The metrics of the server for Prometheus. */
export interface Metrics extends PrometheusMetrics {
  /** Measures requests, and the work of the library. */
  readonly observer: Observer
  readonly observeCapacity: CapacityListener
  /** Has something read and recorded before each scrape. */
  beforeScrape(record: () => Promise<void>): void
  /** Returns all of them in the text exposition format. */
  scrape(): Promise<string>
  /** The content type of that format. */
  readonly contentType: string
}

/**
 * @param options `process: false` leaves out the figures of the process, for applications without one of their own. `also` takes whatever is
 * recorded, too.
 */
export function createMetrics(options: { readonly process?: boolean; readonly also?: MetricSink } = {}): Metrics {
  const registry = new Registry()
  if (options.process !== false) collectDefaultMetrics({ register: registry })
  const { record: count, forget } = prometheusMetrics(registry)
  const record: MetricSink['record'] = (metric, value, labels) => {
    count(metric, value, labels)
    options.also?.record(metric, value, labels)
  }
  const before: (() => Promise<void>)[] = []
  return {
    record,
    forget,
    observer: measuring({ record }),
    observeCapacity: (operation, kind, units) => record('consumedUnits', units, { operation, kind }),
    beforeScrape: (recording) => void before.push(recording),
    contentType: registry.contentType,
    async scrape() {
      await Promise.all(before.map((recording) => recording()))
      return registry.metrics()
    },
  }
}
