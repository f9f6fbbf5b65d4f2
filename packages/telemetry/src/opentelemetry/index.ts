/** @module lapidary-telemetry/opentelemetry */

export { type OpenTelemetryOptions, openTelemetry, traceIds } from './open-telemetry.ts'
