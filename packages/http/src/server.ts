/**
 * What a process that serves an API has around it: the HTTP server, capacity that is counted and capped, metrics, readiness, and derived data
 * that is kept up to date.
 *
 * @module lapidary-http/server
 */

export { type CapacityListener, capacityLeft, countingCapacity, observeCapacity } from './capacity.ts'
export { type ApiOptions, createApi } from './create-api.ts'
export { budgetedClient, withinDatabaseBudget } from './database-budget.ts'
export { derivedDataReport, type Followed, lagBeyond, observeDerivedData, startDerivedData } from './derived-data.ts'
export { watchDisk } from './disk-watch.ts'
export { addHealthRoutes, type ReadinessChecks, type ReadinessReport } from './health-routes.ts'
export { createHttpServer, type HttpServer, type ListenAddress, requireFreePort } from './http-server.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { addMetricsRoute } from './metrics-route.ts'
export { requestLog } from './request-log.ts'
export { StartError } from './start-error.ts'
