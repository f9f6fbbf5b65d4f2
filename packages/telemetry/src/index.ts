/** @module lapidary-telemetry */

export { ALARMS, type Alarm } from './alarms.ts'
export { type EmbeddedMetrics, type EmbeddedMetricsOptions, embeddedMetrics } from './embedded-metrics.ts'
export { type MeasuredFunctionOptions, measuredFunction } from './measured-function.ts'
export { measuring } from './measuring.ts'
export {
  type LabelsOf,
  METRICS,
  type Metric,
  type MetricKey,
  type MetricSink,
  NAMESPACE,
} from './metric-list.ts'
export { recordStates, STATES } from './states.ts'
