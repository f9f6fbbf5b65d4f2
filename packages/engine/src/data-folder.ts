import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { EngineError } from './engine-error.ts'

const NO_FOLDER = 'it is no folder, or its path leads through a file'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write to it',
  EPERM: 'this user may not write to it',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: "this user's share of the disk is full",
  ENOENT: 'no folder can be made there',
  // The version of Node decides which of the two codes it is.
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENAMETOOLONG: 'its name is too long',
}

/**
 * Makes a folder for data, for this user alone, unless it is there; then writes to it as a trial.
 *
 * @throws {EngineError} `engine_unavailable`, with the folder, the reason and what to do in one line.
 * @example
 * ```ts
 * makeDataFolder('.lapidary')
 * ```
 */
export function makeDataFolder(folder: string): void {
  try {
    make(resolve(folder))
    const trial = join(folder, `.trial-${process.pid}`)
    writeFileSync(trial, ' '.repeat(4096), { mode: 0o600 })
    rmSync(trial)
  } catch (error) {
    throw unusable(folder, error)
  }
}

/** Turns an error of the file system in a data folder into one that says what to do. */
export function unusable(folder: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof EngineError || code === undefined) return error
  const remedy =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space' : 'Set DATA_DIR to a folder that this user may write to'
  return new EngineError(
    'engine_unavailable',
    `The data folder ${JSON.stringify(folder)} can't be used: ${REASONS[code] ?? message}. ${remedy}.`,
    { folder, reason: code },
  )
}

/** Makes folder by folder, from the outside in: Node's recursive way never ends under /proc, where no folder can be made. */
function make(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) make(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}
