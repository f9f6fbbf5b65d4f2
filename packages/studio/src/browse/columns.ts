import type { AnyCollection, Item } from 'lapidary'
import type { Parameters } from './address.ts'
import { orderNamed } from './read-query.ts'

/** Columns of a table that chooses none: more would not be seen. */
const FIRST_COLUMNS = 9

/** The columns of a table: all that there are, and those that are shown. */
export interface Columns {
  readonly all: readonly string[]
  readonly shown: readonly string[]
}

/**
 * Returns the columns: the id, the order that the list goes by, facets, and the rest; the scope where the list is of several. Attributes are
 * those of the declaration, else those of the items on the page.
 */
export function columnsOf(collection: AnyCollection, items: readonly Item[], parameters: Parameters): Columns {
  const { attributes, id, facets, scope, version, updatedAt } = collection
  const { attribute: order } = orderNamed(collection, parameters.get('by') ?? undefined)
  const declared = Object.entries(attributes ?? {}).flatMap(([name, { shownIn }]) => (shownIn === 'list' ? [name] : []))
  const own = Object.entries(facets).flatMap(([name, { origin }]) => (origin === undefined ? [name] : []))
  const rest = attributes === undefined ? items.flatMap((item) => Object.keys(item)) : declared
  const all = [...new Set([id, order, scope.attribute, ...own, ...rest])]
  const chosen =
    parameters
      .get('cols')
      ?.split(',')
      .filter((name) => all.includes(name)) ?? []
  if (chosen.length > 0) return { all, shown: chosen }
  const isOneScope = parameters.getAll('scope').length === 1
  const hidden = new Set([...(isOneScope ? [scope.attribute] : []), version, updatedAt])
  return { all, shown: all.filter((name) => name === order || !hidden.has(name)).slice(0, FIRST_COLUMNS) }
}
