import { isAscending } from '../cursor/cursor.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { boundPast } from '../model/position.ts'
import { parseQuery, type Query, type QueryInput } from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import { numberedBy } from '../pages/numbered-query.ts'
import type { PageIndex, PageStart } from '../pages/page-index.ts'
import type { ListsState } from '../pages/sorted-lists.ts'
import { noteText, type PlanNote } from '../planner/plan-note.ts'
import type { ReadContext } from './context.ts'
import { askTotal, lookUpPrice, pageIndexOf } from './indexed-total.ts'
import { type ListOptions, type Page, type PagePlace, planPage, readFirstPage, readPage } from './list.ts'

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
  context: ReadContext<I>,
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
  const { refused } = numberedBy(collection, query)
  if (refused !== undefined) throw unprocessable('the page was refused', refused)
  if (pages.length === 0) {
    throw new LapidaryError(
      'not_implemented',
      'there is no page index; say `derived: { pages: segments() }`, and run the change stream',
    )
  }
  const index = pageIndexOf(context, query)
  if (index === undefined) throw new TypeError(`${collection.name} has not opened a page index that it declares`)
  const skip = await cheaperSlice(context, index, query, (number - 1) * query.limit, options)
  if (skip === undefined) return readIndexedPage(context, index, query, number, options)
  const asked = askTotal(index, query)
  const page = await readPage(context, query, { point: undefined, number, asked, skip }, options)
  // What was stopped may not have come to the page; from its place it may.
  return page.plan.limits.some((limit) => limit === 'maxCapacity' || limit === 'aborted')
    ? readIndexedPage(context, index, query, number, options)
    : page
}

/** How to read a page without looking its place up, where that is expected to take fewer RCU. */
async function cheaperSlice(
  context: ReadContext,
  index: PageIndex,
  query: Query,
  items: number,
  options: Omit<ListOptions, 'cursor'>,
): Promise<PagePlace['skip']> {
  if (items + query.limit > MOST_SLICED) return undefined
  const price = lookUpPrice(context, index, query, { entry: true })
  const [sliced, page] = await Promise.all([
    planPage(context, { ...query, limit: items + query.limit }, options),
    planPage(context, query, options),
  ])
  const total = lookUpPrice(context, index, query, { entry: false }).rcu
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
  context: ReadContext<I>,
  pages: PageIndex,
  query: Query,
  number: number,
  options: Omit<ListOptions, 'cursor'>,
): Promise<Page<I>> {
  const { collection } = context
  const rank = (number - 1) * query.limit
  const [state, found] = await Promise.all([pages.state(), pages.find(query, rank)])
  if (state !== 'ready') throw notReady(collection.name, pages.label, state)
  const { position, isPast, near, ...indexed } = await startOrEnd(pages, query, rank, found)
  const ascending = isAscending(query, 'forward')
  // Past the end a page begins behind the last item, so that it leads back.
  const bound = position && boundPast(position, isPast ? ascending : !ascending)
  const place = {
    point: bound && ({ direction: 'forward', bound } as const),
    number,
    indexed,
    near: isPast ? undefined : near,
  }
  const page = await readPage(context, query, place, options)
  return isPast && page.items.length > 0 ? pastWhatIsIndexed(page) : page
}

/** Items past the last one of the index are on some page, and not on each that is asked for past the end. */
function pastWhatIsIndexed<I>(page: Page<I>): Page<I> {
  const { plan, cursors } = page
  const note: PlanNote = { kind: 'behind' }
  return {
    ...page,
    items: [],
    page: { ...page.page, total: null, count: null },
    cursors: { ...cursors, next: null },
    plan: { ...plan, notes: [...plan.notes, note], limits: [...plan.limits, noteText(note)] },
  }
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

function notReady(name: string, label: string | undefined, state: ListsState | UnknownReason): LapidaryError {
  const which = label === undefined ? `the page index of ${name}` : `the page index ${label} of ${name}`
  const command = `lapidary rebuild page-index${label === undefined ? '' : ' --missing'}`
  return new LapidaryError(
    'unavailable',
    `${which} ${unreadyText(state, command)}; the first page and cursors work without it`,
  )
}

function unreadyText(state: ListsState | UnknownReason, command: string): string {
  switch (state) {
    case 'filling':
      return 'is being built'
    case 'gap':
      return 'lacks changes that the change stream has lost; lapidary repair makes up for them'
    case 'uncounted':
      return 'knows nothing, since no process follows the change stream; run lapidary stream'
    case 'abandoned':
      return `was left behind by a process that could not keep it; once that has ended, run ${command}`
    default:
      return `is not built yet; run ${command}`
  }
}
