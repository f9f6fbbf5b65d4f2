/** @module lapidary-resp */

export { type RespServer, type RespServerOptions, startRespServer } from './server.ts'
