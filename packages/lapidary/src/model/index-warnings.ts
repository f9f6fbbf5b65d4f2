import type { Collection } from './collection.ts'

/**
 * Warns of indexes that are allowed and make little sense: a closed facet behind an open one in a sort key, such as a status behind a day. The
 * items of one status are then scattered over all days, so a query without a day can't use the index.
 *
 * @example
 * ```ts run
 * for (const warning of indexWarnings(comments)) console.warn(warning)
 * ```
 */
export function indexWarnings({ indexes = {}, facets }: Pick<Collection, 'indexes' | 'facets'>): readonly string[] {
  const isOpen = (name: string): boolean => facets[name]?.values === undefined
  return Object.entries(indexes).flatMap(([index, { sort = [] }]) => {
    const open = sort.findIndex(isOpen)
    const closed = open < 0 ? undefined : sort.slice(open + 1).find((name) => !isOpen(name))
    if (closed === undefined) return []
    const first = sort[open]
    return [
      `index ${index} has ${first} before ${closed} in its sort key: ${first} may have any value, so items of one ${closed} lie scattered, and no query without ${first} can use it; put ${closed} first, in an index of another name`,
    ]
  })
}
