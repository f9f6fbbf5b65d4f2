import { EngineError } from './engine-error.ts'

/**
 * Refuses options that do not exist: a misspelt option would count as one that is not given.
 *
 * @throws {EngineError} `bad_request`, with the names that there are.
 */
export function knownOptions<O extends object>(what: string, given: O, names: readonly (keyof O & string)[]): O {
  const known: readonly string[] = names
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name))
  if (unknown === undefined) return given
  throw new EngineError(
    'bad_request',
    `${what} has no option ${JSON.stringify(unknown[0])}; there are ${names.join(', ')}`,
  )
}
