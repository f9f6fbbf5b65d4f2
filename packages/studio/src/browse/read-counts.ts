import type { Counts, QueryInput } from 'lapidary'
import { problemOf } from '../web/problem.tsx'
import type { NamedCollection } from '../web/studio-context.tsx'
import { holdsNumbers } from './read-query.ts'

/**
 * Counts the values of each facet by columns, where the database keeps them: counters know less, and a page tells what these know. Undefined
 * where there are no columns, for a range of the order, which is not counted, and where the count is refused.
 */
export async function readColumnCounts(
  { collection, client }: Pick<NamedCollection, 'collection' | 'client'>,
  { scope, where, from, to }: QueryInput,
): Promise<Counts | undefined> {
  if (client.context.columns === undefined || scope === undefined || from !== undefined || to !== undefined)
    return undefined
  // An open facet of numbers has a form for its range, and as many values as items.
  const by = Object.entries(collection.facets).flatMap(([name, facet]) =>
    facet.values === undefined && holdsNumbers(facet) ? [] : [name],
  )
  try {
    return await client.count({ scope, where, by } as never)
  } catch (error) {
    if (problemOf(error) === undefined) throw error
    return undefined
  }
}
