import type { Collection } from './collection.ts'

/**
 * What is allowed in a collection's indexes and makes little sense, in words: a closed facet behind an open one in a sort key, such as a
 * status behind a day. Items of one status lie scattered over all days then, so a query without a day can't use the index.
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
