import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../config.ts'
import type { Identity } from './person.ts'

/** The parts that a module may export beside `identify`. */
const PARTS = ['identify', 'purchased', 'signInAt', 'routes'] as const

/**
 * Loads the module that says who sends a request: it exports `identify`, and where the shop has them `purchased`, `signInAt`, `signInNote` and `routes`.
 *
 * @throws {ConfigError} for a module that can't be loaded, or exports something else under these names.
 */
export async function loadIdentity(file: string): Promise<Identity> {
  const path = resolve(file)
  const module = await (import(pathToFileURL(path).href) as Promise<Record<string, unknown>>).catch(
    (error: unknown) => {
      throw new ConfigError(
        `IDENTITY is ${path}, which can't be loaded: ${error instanceof Error ? error.message : String(error)}`,
      )
    },
  )
  for (const part of PARTS) {
    const isGiven = module[part] !== undefined || part === 'identify'
    if (isGiven && typeof module[part] !== 'function')
      throw new ConfigError(
        `IDENTITY is ${path}, whose ${part} is no function; docs/identity.md has modules to start from`,
      )
  }
  if (module.signInNote !== undefined && typeof module.signInNote !== 'string')
    throw new ConfigError(`IDENTITY is ${path}, whose signInNote is no text`)
  return module as unknown as Identity
}
