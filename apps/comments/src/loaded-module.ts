import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from './config.ts'

/**
 * Loads a module that a setting names.
 *
 * @param setting Its name, for the errors.
 * @param parts The functions that it may export; the `required` ones have to be there.
 * @throws {ConfigError} for a module that can't be loaded, or exports something else under these names.
 */
export async function loadedModule(
  setting: string,
  file: string,
  parts: { readonly required: readonly string[]; readonly optional?: readonly string[]; readonly help: string },
): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file)
  const module = await (import(pathToFileURL(path).href) as Promise<Record<string, unknown>>).catch(
    (error: unknown) => {
      throw new ConfigError(
        `${setting} is ${path}, which can't be loaded: ${error instanceof Error ? error.message : String(error)}`,
      )
    },
  )
  const { required, optional = [], help } = parts
  for (const part of [...required, ...optional]) {
    const isGiven = module[part] !== undefined || required.includes(part)
    if (isGiven && typeof module[part] !== 'function')
      throw new ConfigError(`${setting} is ${path}, whose ${part} is no function; ${help}`)
  }
  return module
}
