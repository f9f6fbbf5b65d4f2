import { ConfigError } from '../config.ts'
import { loadedModule } from '../loaded-module.ts'
import type { Identity } from './person.ts'

const PARTS = {
  required: ['identify'],
  optional: ['purchased', 'signInAt', 'routes'],
  help: 'docs/identity.md has modules to start from',
}

/**
 * Loads the module that says who sends a request: it exports `identify`, and where the shop has them `purchased`, `signInAt`, `signInNote` and `routes`.
 *
 * @throws {ConfigError} for a module that can't be loaded, or exports something else under these names.
 */
export async function loadIdentity(file: string): Promise<Identity> {
  const module = await loadedModule('IDENTITY', file, PARTS)
  if (module.signInNote !== undefined && typeof module.signInNote !== 'string')
    throw new ConfigError(`IDENTITY is ${file}, whose signInNote is no text`)
  return module as unknown as Identity
}
