import { type CursorPoint, isAscending } from '../cursor/cursor.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { boundPast } from '../model/position.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import type { ListsState } from '../pages/sorted-lists.ts'
import type { CollectionContext } from './context.ts'
import { type ListOptions, type Page, readPage } from './list.ts'

/**
 * Reads a page by its number: the page index turns the rank of its first item into a position, and the list is read from there, as
 * from a cursor.
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
  if (number === 1) return readPage(context, query, { point: undefined, number }, options)
  if (pages === undefined) {
    throw new LapidaryError(
      'not_implemented',
      'there is no page index; say `derived: { pages: segments() }`, and run the change stream',
    )
  }
  const { lists } = pages
  const [state, { total, position, ...took }] = await Promise.all([
    lists.state(),
    pages.find(query, (number - 1) * query.limit),
  ])
  if (state !== 'ready') throw notReady(collection.name, state)
  const ascending = isAscending(query, 'forward')
  if (position !== undefined) {
    const point: CursorPoint = { direction: 'forward', bound: boundPast(position, !ascending) }
    return readPage(context, query, { point, number, indexed: { total, ...took } }, options)
  }
  // Past the end a page begins behind the last item, so that it leads back.
  const last = total === 0 ? undefined : (await pages.find(query, total - 1)).position
  const point = last && ({ direction: 'forward', bound: boundPast(last, ascending) } as const)
  return readPage(context, query, { point, number, indexed: { total, ...took } }, options)
}

function notReady(name: string, state: ListsState): LapidaryError {
  const why = state === 'filling' ? 'is being built' : 'is not built yet; run lapidary rebuild page-index'
  return new LapidaryError(
    'unavailable',
    `the page index of ${name} ${why}; the first page and cursors work without it`,
  )
}
