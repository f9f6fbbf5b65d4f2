/** @module lapidary-telemetry/prometheus */

export { type PrometheusMetrics, prometheusMetrics } from './prometheus-metrics.ts'
