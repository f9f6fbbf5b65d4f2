import { LapidaryError, shown, unprocessable } from './errors.ts'

/** The names of all options of a type: the compiler asks for each that is added. */
export type OptionNames<O> = { readonly [K in NamesOf<O>]: true }

type NamesOf<O> = O extends unknown ? keyof O : never

/**
 * Refuses options that do not exist: a misspelt option would count as one that is not given. An undefined one is not given, whatever its name.
 *
 * @param what The taker of the options: `the query`.
 * @throws {LapidaryError} `unprocessable` for a call, `declaration_invalid` for a declaration, with the names that there are.
 */
export function knownOptions<O extends object | undefined>(
  what: string,
  given: O,
  names: Readonly<Record<string, true>>,
  code: 'unprocessable' | 'declaration_invalid' = 'unprocessable',
): O {
  if (given === undefined) return given
  if (given === null || typeof given !== 'object') {
    throw new LapidaryError(
      code,
      `${what} takes options by name, as { ${Object.keys(names)[0]}: … }, not ${shown(given)}`,
    )
  }
  const unknown = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || Object.hasOwn(names, name) ? [] : [name],
  )
  if (unknown.length === 0) return given
  const there = `is no option; there are ${Object.keys(names).join(', ')}`
  if (code === 'unprocessable')
    throw unprocessable(
      `${what} was refused`,
      unknown.map((path) => ({ path, message: there })),
    )
  throw new LapidaryError(code, `${what}: ${unknown.map(shown).join(', ')} ${there}`)
}
