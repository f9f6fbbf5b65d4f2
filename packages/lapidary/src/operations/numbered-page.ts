import { isAscending } from '../cursor/cursor.ts'
import type { Collection } from '../model/collection.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { boundPast } from '../model/position.ts'
import { parseQuery, type Query, type QueryInput } from '../model/query.ts'
import { isRanked } from '../pages/cells.ts'
import type { PageIndex, PageStart } from '../pages/page-index.ts'
import type { ListsState } from '../pages/sorted-lists.ts'
import type { CollectionContext } from './context.ts'
import { askTotal, lookUpPrice } from './indexed-total.ts'
import { type ListOptions, type Page, type PagePlace, planPage, readFirstPage, readPage } from './list.ts'
import { oneScope } from './query-counts.ts'

/** Items beyond which it is not asked what it would take to read and pass over them: an index is cheaper than any. */
const MOST_SLICED = 2_000
const MOST_TRIES = 5

/**
 * Reads a page by its number: the page index turns the rank of its first item into a position, and the list is read from there, as
 * from a cursor. Where it is expected to take fewer RCU, the list is read from its beginning instead.
 *
 * @param number From 1. A page past the end has no items.
 * @throws {LapidaryError} `unprocessable` for what is no page number, `not_implemented` without a page index, `unavailable` while it is
 * not built.
 */
export async function readNumberedPage<I>(
  context: CollectionContext<I>,
  number: number,
  input: QueryInput,
  options: Omit<ListOptions, 'cursor'> = {},
): Promise<Page<I>> {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw unprocessable('the page was refused', [
      { path: 'page', message: `must be a whole number from 1 up, not ${shown(number)}` },
    ])
  }
  const { collection, pages } = context
  const query = parseQuery(collection, input)
  if (number === 1) return readFirstPage(context, query, options)
  oneScope(query, 'pages are numbered')
  requireNumbers(collection, query)
  if (pages === undefined) {
    throw new LapidaryError(
      'not_implemented',
      'there is no page index; say `derived: { pages: segments() }`, and run the change stream',
    )
  }
  const skip = await cheaperSlice(context, query, (number - 1) * query.limit, options)
  if (skip === undefined) return readIndexedPage(context, query, number, options)
  const asked = askTotal(context, query, 'always')
  const page = await readPage(context, query, { point: undefined, number, asked, skip }, options)
  // What was stopped may not have come to the page; from its place it may.
  return page.plan.limits.some((limit) => limit === 'maxCapacity' || limit === 'aborted')
    ? readIndexedPage(context, query, number, options)
    : page
}

/** The page index is kept of the default order alone, and of facets of which an item has one value: each other one would take its writes again. */
function requireNumbers(collection: Collection, { by, where }: Query): void {
  if (by !== undefined) {
    throw unprocessable('the page was refused', [
      {
        path: 'by',
        message: `is ${by}, and pages are numbered in the order ${Object.keys(collection.orders)[0]} alone; go by cursor`,
      },
    ])
  }
  const facets = Object.keys(where).filter((facet) => !isRanked(collection, { [facet]: [] }))
  if (facets.length === 0) return
  throw unprocessable(
    'the page was refused',
    facets.map((path) => ({
      path,
      message: 'narrows, and an item may have several values of it, so pages are not numbered; go by cursor',
    })),
  )
}

/** How to read a page without looking its place up, where that is expected to take fewer RCU. */
async function cheaperSlice(
  context: CollectionContext,
  query: Query,
  items: number,
  options: Omit<ListOptions, 'cursor'>,
): Promise<PagePlace['skip']> {
  const price = lookUpPrice(context, query, { entry: true })
  if (price === undefined || items + query.limit > MOST_SLICED) return undefined
  const [sliced, page] = await Promise.all([
    planPage(context, { ...query, limit: items + query.limit }, options),
    planPage(context, query, options),
  ])
  const total = lookUpPrice(context, query, { entry: false })?.rcu ?? 0
  const rcu = price.rcu + page.estimated.rcu
  if (sliced.estimated.rcu + total > Math.min(rcu, options.maxCapacity ?? rcu)) return undefined
  const text = `PAGE INDEX OFFSET ${items}, THEN ${page.text}`
  return {
    items,
    instead: {
      text,
      rcu,
      rounds: price.rounds + page.estimated.rounds,
      reason: `reading ${items + query.limit} items and passing over ${items} takes less`,
    },
  }
}

async function readIndexedPage<I>(
  context: CollectionContext<I>,
  query: Query,
  number: number,
  options: Omit<ListOptions, 'cursor'>,
): Promise<Page<I>> {
  const { collection, pages } = context
  if (pages === undefined) throw new TypeError(`${collection.name} has no page index`)
  const rank = (number - 1) * query.limit
  const [state, found] = await Promise.all([pages.lists.state(), pages.find(query, rank)])
  if (state !== 'ready') throw notReady(collection.name, state)
  const { position, isPast, ...indexed } = await startOrEnd(pages, query, rank, found)
  const ascending = isAscending(query, 'forward')
  // Past the end a page begins behind the last item, so that it leads back.
  const bound = position && boundPast(position, isPast ? ascending : !ascending)
  return readPage(context, query, { point: bound && { direction: 'forward', bound }, number, indexed }, options)
}

/**
 * The first item of a page, or the last item of all where the page is past the end. Items may come and go meanwhile: only the item that
 * is still the last one when it is found is the end.
 */
async function startOrEnd(
  pages: PageIndex,
  query: Query,
  rank: number,
  found: PageStart,
): Promise<PageStart & { readonly isPast: boolean }> {
  let start = found
  const after = async (before: PageStart, at: number): Promise<PageStart> => {
    const next = await pages.find(query, at)
    return { ...next, rcu: before.rcu + next.rcu, rounds: before.rounds + next.rounds }
  }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (start.position !== undefined || start.total === 0) return { ...start, isPast: false }
    const last = await after(start, start.total - 1)
    if (last.position !== undefined && last.total === start.total) return { ...last, isPast: true }
    start = last.total > rank ? await after(last, rank) : { ...last, position: undefined }
  }
  throw new LapidaryError('unavailable', 'items come and go faster than the last page is found; try again')
}

function notReady(name: string, state: ListsState): LapidaryError {
  const why = state === 'filling' ? 'is being built' : 'is not built yet; run lapidary rebuild page-index'
  return new LapidaryError(
    'unavailable',
    `the page index of ${name} ${why}; the first page and cursors work without it`,
  )
}
