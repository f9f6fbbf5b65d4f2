import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { CapacityListener } from './capacity.ts'

/** The metrics of the server for Prometheus. */
export interface Metrics {
  readonly registry: Registry
  observeRequest(route: string, method: string, status: number, milliseconds: number): void
  readonly observeCapacity: CapacityListener
}

/** @param options `process: false` leaves out the figures of the process, for applications without one of their own. */
export function createMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (options.process !== false) collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const capacity = new Counter({
    name: 'dynamodb_consumed_capacity_units_total',
    help: 'Capacity that DynamoDB reported, by operation.',
    labelNames: ['operation', 'kind'],
    registers: [registry],
  })
  return {
    registry,
    observeRequest: (route, method, status, milliseconds) =>
      requests.observe({ route, method, status: String(status) }, milliseconds / 1000),
    observeCapacity: (operation, kind, units) => capacity.inc({ operation, kind }, units),
  }
}
