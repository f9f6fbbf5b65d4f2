/**
 * The code of the functions that `LapidaryTable` deploys, for entries of one's own.
 *
 * @module lapidary-cdk/functions
 */

export { type ApiHandlerOptions, apiHandler } from './functions/api-handler.ts'
export type { FunctionConfig } from './functions/open-database.ts'
export { streamHandler } from './functions/stream-handler.ts'
export { upkeepHandler } from './functions/upkeep-handler.ts'
