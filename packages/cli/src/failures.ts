import { CommanderError } from 'commander'
import { databaseError, LapidaryError } from 'lapidary'
import { EngineError } from 'lapidary-engine'
import { UsageError } from './options.ts'

/** The way in which a command failed. */
export interface Failure {
  readonly exitCode: 1 | 2
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable or writable for this user',
  EPERM: 'is not readable or writable for this user',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'goes through something that is not a folder',
  ENOSPC: 'has no space left on its disk',
}

/** Says what an error means; undefined for `--help` and `--version`, which end well. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined
    if (error.code === 'commander.help') return { exitCode: 2, code: 'usage', message: 'a command is missing' }
    return { exitCode: 2, code: 'usage', message: error.message.replace(/^error: /, '') }
  }
  if (error instanceof UsageError) return { exitCode: 2, code: 'usage', message: error.message }
  // A configuration may load its own copy of the library, so the library's errors are also known by name.
  if (error instanceof LapidaryError || error instanceof EngineError || isNamed(error, 'LapidaryError')) {
    const { code, message, details } = error as LapidaryError | EngineError
    return { exitCode: 1, code, message, details }
  }
  // The reason of an abort by a signal has a number as its code.
  if (isNamed(error, 'AbortError')) return { exitCode: 1, code: 'aborted', message: 'stopped' }
  const { code, path, message, name } = error as NodeJS.ErrnoException
  const problem = code === undefined ? undefined : FILE_PROBLEMS[code]
  if (problem !== undefined && path !== undefined)
    return { exitCode: 1, code: 'bad_request', message: `${path} ${problem}` }
  const known = databaseError(error)
  if (known !== undefined) return { exitCode: 1, code: known.code, message: known.message }
  return { exitCode: 1, code: code ?? name ?? 'failed', message: message || String(error) }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
