import type { Page } from 'lapidary'
import { capacityLeft, withKnownTotal } from 'lapidary-http/internal'
import { filterOf, type ListParameters, orderOf, refusedQuery } from './list-parameters.ts'
import type { Services } from './services.ts'
import { type ShownComment, shownComment } from './shown-comment.ts'

interface ReadOptions {
  /** The number of lists that are read at the same time, and share what the request may still read; 1 when not given. */
  readonly beside?: number
  /** Ids of comments that the reader has just written, to be shown as they are now. */
  readonly written?: readonly string[] | undefined
}

/**
 * Reads the list that the parameters ask for; the same for the HTTP API and the web pages. It ends, with a cursor, where the request has read
 * what it may. Its total is null while the counts are too far behind, unless the page itself holds the whole list.
 */
export async function readList(
  services: Services,
  productId: string,
  parameters: ListParameters,
  { beside = 1, written }: ReadOptions = {},
): Promise<Page<ShownComment>> {
  const { order, limit, from, to, cursor, page: number } = parameters
  const query = {
    scope: productId,
    where: filterOf(parameters),
    ...orderOf(order),
    ...{ limit, written },
    maxCapacity: capacityLeft(services.maxCapacity) / beside,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  const { comments } = services
  const reading =
    number === undefined
      ? comments.list({ ...query, ...(cursor === undefined ? {} : { cursor }) })
      : comments.page(number, query)
  const page = withKnownTotal(await reading.catch(refusedQuery), services.countsBehind)
  return { ...page, items: page.items.map(shownComment), facets: page.facets && withoutNull(page.facets) }
}

/** Counts the comments that lack a flag, since they were written before it was declared, with those of which it is false. */
export function withoutNull(facets: FacetCounts): FacetCounts {
  const counted = Object.entries(facets).map(([facet, { null: lacking = 0, ...counts }]) => {
    if (!FLAGS.includes(facet)) return [facet, facets[facet] ?? {}] as const
    return [facet, { ...counts, false: (counts.false ?? 0) + lacking }] as const
  })
  return Object.fromEntries(counted)
}

const FLAGS: readonly string[] = ['verified', 'answered']

/** Counts by facet and value. */
type FacetCounts = Readonly<Record<string, Readonly<Record<string, number>>>>
