import { shown } from './errors.ts'
import { invalidDeclaration } from './invalid-declaration.ts'

/** Each is two more attributes beside every counter of a scope. */
export const MOST_SUMS = 8

/** The attributes that an item has a part of its own for: their numbers, if they are any, stand for no amount. */
interface KeyAttributes {
  readonly id: string
  readonly scope: { readonly attribute: string }
}

/** @throws {LapidaryError} `declaration_invalid` for an attribute that is named twice or can hold no number, and for too many. */
export function declaredSums(given: readonly string[], keys: KeyAttributes): readonly string[] {
  if (!Array.isArray(given)) invalidDeclaration(`sums is ${shown(given)}; give its attributes as a list`)
  const sums = given.map((attribute) => summable(attribute, 'sums', keys))
  const twice = sums.find((attribute, i) => sums.indexOf(attribute) !== i)
  if (twice !== undefined) invalidDeclaration(`sums names ${twice} twice; name it once`)
  if (sums.length > MOST_SUMS)
    invalidDeclaration(`sums names ${sums.length} attributes; at most ${MOST_SUMS} are summed beside the counts`)
  return Object.freeze(sums)
}

/** @throws {LapidaryError} `declaration_invalid` for an attribute that can hold no number. */
export function summable(attribute: unknown, what: string, { id, scope }: KeyAttributes): string {
  if (typeof attribute !== 'string' || attribute === '')
    invalidDeclaration(`${what} names ${shown(attribute)}; name an attribute whose values are numbers`)
  if (attribute === id || attribute === scope.attribute)
    invalidDeclaration(`${what} names ${attribute}, which is the id or the scope and so a text; name a number`)
  return attribute
}
