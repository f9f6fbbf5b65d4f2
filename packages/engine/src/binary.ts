import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { EngineError } from './engine-error.ts'

/** The places to look for the embedded engine's binary; this process's own when not given. */
export interface BinarySearch {
  readonly platform?: string
  readonly arch?: string
  /** The search path, as in the environment variable PATH. */
  readonly path?: string
  /** Resolves a module's file, or throws. */
  readonly resolve?: (specifier: string) => string
}

/**
 * Finds the embedded engine's binary: in its npm package for this platform, else on the search path.
 *
 * @throws {EngineError} `engine_unavailable` when there is none; the message names the alternatives.
 */
export function findBinary(search: BinarySearch = {}): string {
  const {
    platform = process.platform,
    arch = process.arch,
    path = process.env.PATH ?? '',
    resolve = createRequire(import.meta.url).resolve,
  } = search
  const name = platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  const candidates = [
    packagedBinary(`@dynoxide/${platform}-${arch}`, name, resolve),
    ...path.split(delimiter).map((folder) => (folder === '' ? undefined : join(folder, name))),
  ]
  const found = candidates.find((file) => file !== undefined && isExecutable(file))
  if (found !== undefined) return found
  throw new EngineError(
    'engine_unavailable',
    `The embedded DynamoDB has no binary for ${platform}-${arch} here: put a dynoxide binary on the PATH, or start ` +
      'DynamoDB Local and set DYNAMODB_ENDPOINT to its address, or set DYNAMODB_ENDPOINT=aws to use AWS.',
    { platform, arch },
  )
}

function packagedBinary(name: string, file: string, resolve: (specifier: string) => string): string | undefined {
  try {
    return join(dirname(resolve(`${name}/package.json`)), file)
  } catch {
    return undefined
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
