import { LapidaryError, shown, unprocessable } from './errors.ts'

/** The names of options, all of a type and no other: the compiler asks for each that is added. */
export type OptionNames<O> = { readonly [K in NamesOf<O>]: true }

type NamesOf<O> = O extends unknown ? keyof O : never

/**
 * Options of which none has another name: one with a slip of the pen would be taken for one that is not given. What is undefined is not
 * given, whatever its name is.
 *
 * @param what Who takes them: `the query`.
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
