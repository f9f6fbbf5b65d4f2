import type { Item } from '../model/collection.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import type { OptionNames } from '../model/known-options.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import { LeftOut } from '../model/unreadable-item.ts'
import type { AttributesOption } from './chosen-attributes.ts'
import type { ReadContext } from './context.ts'
import type { Having } from './having.ts'
import { listPage } from './list.ts'
import { operationsOf, pageFigures } from './observed.ts'
import type { Page } from './page.ts'

/** How all items of a query are read, one after the other. */
export interface IterateOptions extends AttributesOption {
  /** Judges each item in this process, as in `list`. */
  readonly having?: Having | undefined
  /** One of the `cursors` of a page of the same query, to begin at; null is the first page. */
  readonly cursor?: string | null | undefined
  /** Pages that are read before they are asked for; 1 when not given, 10 at most. 0 reads a page when the one before is used up. */
  readonly pagesAhead?: number | undefined
  /**
   * The most RCU to spend in all. What was read is given; then it ends with `capacity_exhausted`, whose `details.cursor` goes on.
   * Without it, everything is read.
   */
  readonly maxCapacity?: number | undefined
  /** Ends it with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The names of what `iterate` takes beside its query. */
export const ITERATE_NAMES: OptionNames<IterateOptions> = {
  ...{ cursor: true, attributes: true, having: true, pagesAhead: true, maxCapacity: true, signal: true },
}

const PAGE_ITEMS = 100
const MOST_AHEAD = 10

/**
 * Gives the items of a query in its order, page by page; the next page is read while one is used. After a page that leaves out an item which
 * can't be read it ends with `table_mismatch`, whose `details.cursor` goes on behind it.
 */
export async function* iterateItems(
  context: ReadContext,
  input: QueryInput,
  { cursor, having, pagesAhead = 1, maxCapacity = Number.POSITIVE_INFINITY, signal, attributes }: IterateOptions = {},
): AsyncGenerator<Item, void, undefined> {
  requireOption('pagesAhead', pagesAhead, Number.isInteger(pagesAhead) && pagesAhead >= 0 && pagesAhead <= MOST_AHEAD)
  requireOption('maxCapacity', maxCapacity, maxCapacity > 0)
  const query = { limit: PAGE_ITEMS, ...input }
  // Once, so that what is wrong with the query is said before anything is read.
  parseQuery(context.collection, query)
  const ended = new AbortController()
  const stopped = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
  const operation = operationsOf(context)
  let left = maxCapacity

  async function read(from: string | undefined): Promise<Page<Item>> {
    stopped.throwIfAborted()
    const capped = Number.isFinite(left) ? { maxCapacity: Math.max(left, Number.MIN_VALUE) } : {}
    const options = { cursor: from, signal: stopped, having, attributes, ...capped }
    const page = await operation('iterate', () => listPage(context, query, options), pageFigures).catch(
      (error: unknown) => {
        stopped.throwIfAborted()
        throw isExhausted(error) ? exhausted(maxCapacity, from) : error
      },
    )
    // A read that was stopped gives a part of a page.
    stopped.throwIfAborted()
    left -= page.plan.actual?.rcu ?? 0
    return page
  }
  const following = async (page: Page<Item> | undefined): Promise<Page<Item> | undefined> =>
    page?.cursors.next == null ? undefined : read(page.cursors.next)

  let last: Promise<Page<Item> | undefined> = read(cursor ?? undefined)
  const pages = [last]
  try {
    for (;;) {
      while (pages.length <= pagesAhead) {
        last = last.then(following)
        // It is thrown where it is waited for, if it is.
        last.catch(() => {})
        pages.push(last)
      }
      const page = await pages.shift()
      if (page === undefined) return
      signal?.throwIfAborted()
      yield* page.items
      const leftOut = new LeftOut()
      for (const note of page.plan.notes) {
        if (note.kind !== 'unreadable') continue
        const { kind: _, ...found } = note
        leftOut.add(found)
      }
      leftOut.throwIfAny(context.collection, { cursor: page.cursors.next })
      if (pages.length === 0) {
        last = following(page)
        pages.push(last)
      }
    }
  } finally {
    ended.abort(new LapidaryError('aborted', 'the iteration was left'))
  }
}

function requireOption(path: string, value: number, isGood: boolean): void {
  if (isGood) return
  const what = path === 'pagesAhead' ? `a whole number from 0 to ${MOST_AHEAD}` : 'a number above 0'
  throw unprocessable('the iteration was refused', [{ path, message: `must be ${what}, not ${shown(value)}` }])
}

function isExhausted(error: unknown): boolean {
  return error instanceof LapidaryError && error.code === 'capacity_exhausted'
}

function exhausted(maxCapacity: number, cursor: string | undefined): LapidaryError {
  const message = `maxCapacity ${maxCapacity} is spent; go on from details.cursor, or raise it`
  return new LapidaryError('capacity_exhausted', message, { details: { cursor: cursor ?? null } })
}
