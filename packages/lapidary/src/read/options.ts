import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { QUERY_NAMES, type QueryInput } from '../model/query.ts'

/**
 * Takes apart what a caller gives in one object: what is asked, and how it is read. An option that is undefined is not given.
 *
 * @param what Who takes it, for messages.
 * @param names The options that may stand beside a query.
 * @param asked The parts of a query that may be asked; all when not given.
 * @throws {LapidaryError} `unprocessable` for a name that is neither.
 */
export function takenApart<O extends object>(
  what: string,
  given: object,
  names: OptionNames<O>,
  asked: Readonly<Record<string, true>> = QUERY_NAMES,
): { readonly query: QueryInput; readonly options: Partial<O> } {
  const query: Record<string, unknown> = {}
  const options: Record<string, unknown> = {}
  let isKnown = typeof given === 'object' && given !== null
  for (const name in given) {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) continue
    if (Object.hasOwn(asked, name)) query[name] = value
    else if (Object.hasOwn(names, name)) options[name] = value
    else isKnown = false
  }
  if (!isKnown) knownOptions(what, given, { ...asked, ...names })
  return { query, options: options as Partial<O> }
}
