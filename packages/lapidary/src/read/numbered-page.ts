import { isAscending } from '../cursor/cursor.ts'
import type { Item } from '../model/collection.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { boundPast } from '../model/position.ts'
import { parseQuery, type Query, type QueryInput } from '../model/query.ts'
import { type Beside, NOTHING } from '../planner/beside.ts'
import type { Plan, PlanEstimate, RejectedPlan } from '../planner/plan.ts'
import { noteText, type PlanNote } from '../planner/plan-note.ts'
import { asStep } from '../table/observer.ts'
import type { ReadContext } from './context.ts'
import { spentBy } from './indexed-total.ts'
import { readPage } from './list.ts'
import type { ReadOptions } from './list-options.ts'
import { numberingOf } from './numbering.ts'
import type { Page } from './page.ts'
import { notReady, startOrEnd } from './page-start.ts'
import { planKnown, recentAt } from './plan-known.ts'
import type { Numbering } from './ranked.ts'
import { usableNow } from './run.ts'
import type { AtRank, Slice } from './start.ts'

/** Items beyond which it is not asked what it would take to read and pass over them: an index is cheaper than any. */
const MOST_SLICED = 2_000

/**
 * Reads a page by its number: the page index turns the rank of its first item into a position, and the list is read from there, as
 * from a cursor. Where it is expected to take fewer RCU, the list is read from its beginning instead.
 *
 * @param number From 1. A page past the end has no items.
 * @throws {LapidaryError} `unprocessable` for what is no page number, `not_implemented` without a page index, `unavailable` while it is
 * not built, `capacity_exhausted` where `maxCapacity` does not do to find the page.
 */
export async function readNumberedPage(
  context: ReadContext,
  number: number,
  input: QueryInput,
  options: ReadOptions = {},
): Promise<Page<Item>> {
  requireNumber(number)
  const query = parseQuery(context.collection, input)
  if (number === 1) return readPage(context, query, { kind: 'first' }, options)
  const numbering = numberingOf(context, query)
  const slice = await cheaperSlice(context, numbering, query, number, options)
  if (slice === undefined) return readIndexedPage(context, numbering, query, number, options, [])
  const page = await asStep(context.table, { name: 'slice' }, () =>
    readPage(context, query, slice, options, numbering.total),
  )
  const { limits, actual } = page.plan
  // A read that was stopped may not have come to the page; from its place it may.
  if (actual === null || !limits.some((limit) => limit === 'maxCapacity' || limit === 'aborted')) return page
  const { text, estimated } = page.plan
  const givenUp: Beside = {
    kind: 'slice',
    text: text.slice(0, text.lastIndexOf(' -- ')),
    when: 'before',
    estimated,
    actual,
  }
  return readIndexedPage(context, numbering, query, number, options, [givenUp])
}

function requireNumber(number: number): void {
  if (Number.isSafeInteger(number) && number >= 1) return
  throw unprocessable('the page was refused', [
    { path: 'page', message: `must be a whole number from 1 up, not ${shown(number)}` },
  ])
}

/** How to read a page without looking its place up, where that is expected to take fewer RCU. */
async function cheaperSlice(
  context: ReadContext,
  numbering: Numbering,
  query: Query,
  number: number,
  { maxCapacity, signal }: ReadOptions,
): Promise<Slice | undefined> {
  const items = (number - 1) * query.limit
  const limit = items + query.limit
  if (limit > MOST_SLICED) return undefined
  const unusable = await usableNow(context, signal)
  const planned = (asked: Query): Plan => planKnown(context, asked, unusable, recentAt(context, asked, undefined))
  const [plan, page] = [planned({ ...query, limit }), planned(query)]
  const found = numbering.price({ entry: true })
  const total = numbering.total?.estimated ?? NOTHING
  const rcu = found.rcu + page.estimated.rcu
  if (plan.estimated.rcu + total.rcu > Math.min(rcu, maxCapacity ?? rcu)) return undefined
  const instead: RejectedPlan = {
    text: `${lookUpText(numbering, items)}, THEN ${page.text}`,
    ...{ rcu, rounds: found.rounds + page.estimated.rounds },
    reason: `reading ${limit} items and passing over ${items} takes less`,
  }
  return { kind: 'slice', number, items, plan, instead }
}

function lookUpText({ text }: Numbering, items: number): string {
  return `${text} OFFSET ${items}`
}

/** @param before What the request has read already. */
async function readIndexedPage(
  context: ReadContext,
  numbering: Numbering,
  query: Query,
  number: number,
  options: ReadOptions,
  before: readonly Beside[],
): Promise<Page<Item>> {
  const rank = (number - 1) * query.limit
  const estimated = numbering.price({ entry: true })
  requireAffordable(options.maxCapacity, estimated, before)
  const { position, isPast, near, ...told } = await asStep(context.table, { name: 'pageIndex' }, async () => {
    const [state, found] = await Promise.all([numbering.state(), numbering.find(query, rank)])
    if (state !== 'ready') throw notReady(context.collection.name, numbering, state)
    return startOrEnd(numbering, query, rank, found)
  })
  const ascending = isAscending(query, 'forward')
  // Past the end a page begins behind the last item, so that it leads back.
  const bound = position && boundPast(position, isPast ? ascending : !ascending)
  const actual = spentBy(told)
  const start: AtRank = {
    kind: 'rank',
    number,
    point: bound && { direction: 'forward', bound },
    indexed: { total: told.total, asOf: told.asOf, ...actual },
    near: isPast ? undefined : near,
    besides: [...before, { kind: 'pageIndex', text: lookUpText(numbering, rank), when: 'before', estimated, actual }],
  }
  const page = await readPage(context, query, start, options)
  return isPast && page.items.length > 0 ? pastWhatIsIndexed(page) : page
}

/** @throws {LapidaryError} `capacity_exhausted` where the look-up alone should take more than what is left of a cap. */
function requireAffordable(maxCapacity: number | undefined, { rcu }: PlanEstimate, before: readonly Beside[]): void {
  const left = before.reduce((sum, { actual }) => sum - (actual?.rcu ?? 0), maxCapacity ?? Number.POSITIVE_INFINITY)
  if (rcu <= left) return
  throw new LapidaryError(
    'capacity_exhausted',
    `maxCapacity ${maxCapacity} is less than finding the page by its number takes, some ${Math.ceil(rcu)} RCU; raise it, or go by cursor`,
  )
}

/** Items past the last one of the index are on some page, and not on each that is asked for past the end. */
function pastWhatIsIndexed(page: Page<Item>): Page<Item> {
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
