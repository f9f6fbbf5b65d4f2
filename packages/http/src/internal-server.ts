/**
 * What a process has around an API: the HTTP server, readiness of its disk, and derived data that is kept up to date. It is no part of what the
 * package promises.
 *
 * @module lapidary-http/internal/server
 */

export { type ApiOptions, createApi } from './create-api.ts'
export { derivedDataReport, type Followed, lagBeyond, observeDerivedData, startDerivedData } from './derived-data.ts'
export { watchDisk } from './disk-watch.ts'
export { createHttpServer, type HttpServer, type ListenAddress, requireFreePort } from './http-server.ts'
export { StartError } from './start-error.ts'
