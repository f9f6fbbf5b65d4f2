import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Config, ConfigError } from './config.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this process has no right to write there',
  EDQUOT: 'the quota of its disk is used up',
  ENOENT: 'it can’t be made there',
  ENOSPC: 'its disk is full',
  ENOTDIR: 'it is a file, or below one',
  EPERM: 'this process has no right to write there',
  EROFS: 'its disk is read-only',
}

/**
 * Makes the folder that data and secrets are kept in, and tries whether it can be written to. Where all of that is elsewhere,
 * no folder is needed.
 *
 * @throws {ConfigError} in one line, with the reason and what to do.
 */
export function requireDataFolder({ dataDir, dynamodbEndpoint, cursorSecret, adminToken }: Config): void {
  if (dynamodbEndpoint !== undefined && cursorSecret !== undefined && adminToken !== undefined) return
  try {
    makeFolder(resolve(dataDir))
    const probe = join(dataDir, `probe.${process.pid}`)
    writeFileSync(probe, 'can this be written?', { mode: 0o600 })
    rmSync(probe)
  } catch (error) {
    const { code = 'failed' } = error as NodeJS.ErrnoException
    throw new ConfigError(
      `DATA_DIR is ${JSON.stringify(dataDir)} (${resolve(dataDir)}), which can’t be used: ${REASONS[code] ?? code}; set it to a folder that this process may write to`,
    )
  }
}

/** Node's own recursive mkdir tries for ever where a folder exists in which none can be made, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process has made it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
