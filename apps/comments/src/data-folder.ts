import { makeDataFolder } from 'lapidary-engine'
import type { Config } from './config.ts'

/**
 * Makes the folder of data and secrets, and checks that it can be written. No folder is needed where all of that is elsewhere.
 *
 * @throws {EngineError} `engine_unavailable`, in one line, with the reason and what to do.
 */
export function requireDataFolder({ dataDir, dynamodbEndpoint, cursorSecret, adminToken }: Config): void {
  if (dynamodbEndpoint !== undefined && cursorSecret !== undefined && adminToken !== undefined) return
  makeDataFolder(dataDir)
}
