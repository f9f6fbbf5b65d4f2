import type { Collection } from '../model/collection.ts'

/** Names of attributes as a schema takes them, which `default()` and `transform()` make others than those of a stored item. */
export interface InputNames {
  /** Whether an item may have an attribute of the name. */
  takes(name: string): Promise<boolean>
  /** The first attribute of every item that is not among the names and that the schema does not make. */
  missing(names: readonly string[]): Promise<string | undefined>
}

/**
 * Asks a collection's schema, by items that it refuses, what an item is made of. A schema has no other way to say it that all libraries share.
 *
 * @example
 * ```ts run
 * const missing = await inputNames(comments).missing(['productId', 'language']) // rating
 * ```
 */
export function inputNames(collection: Collection): InputNames {
  const { attributes, scope, facets } = collection
  const ofNothing = namesRefused(collection, {})
  return {
    async takes(name) {
      if (attributes === undefined || Object.hasOwn(attributes, name)) return true
      // No attribute takes a symbol, unless it takes anything.
      const ofOdd = namesRefused(collection, { [name]: Symbol(name) })
      return (await ofNothing)?.has(name) === true || (await ofOdd)?.has(name) === true
    },
    async missing(names) {
      const refused = await ofNothing
      // What a path or a function needs is told item by item.
      const needed = Object.keys(facets).filter((name) => !facets[name]?.optional && facets[name]?.origin === undefined)
      return [scope.attribute, ...needed].find(
        (name) => !names.includes(name) && (refused === undefined || refused.has(name)),
      )
    },
  }
}

/** The attributes that a schema finds fault with; undefined where it can't be asked. */
async function namesRefused({ schema }: Collection, input: object): Promise<ReadonlySet<string> | undefined> {
  try {
    const { issues = [] } = await schema['~standard'].validate(input)
    const first = issues.flatMap(({ path }) => (path?.[0] === undefined ? [] : [path[0]]))
    return new Set(first.map((part) => String(typeof part === 'object' ? part.key : part)))
  } catch {
    return undefined
  }
}
