import { makeDataFolder } from 'lapidary-engine'
import type { Config } from './config.ts'

/**
 * Makes the folder that data and secrets are kept in, and tries whether it can be written to. Where all of that is elsewhere,
 * no folder is needed.
 *
 * @throws {EngineError} `engine_unavailable`, in one line, with the reason and what to do.
 */
export function requireDataFolder({ dataDir, dynamodbEndpoint, cursorSecret, adminToken }: Config): void {
  if (dynamodbEndpoint !== undefined && cursorSecret !== undefined && adminToken !== undefined) return
  makeDataFolder(dataDir)
}
