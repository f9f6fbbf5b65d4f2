import type { Context } from 'hono'
import type { Page } from 'lapidary'
import { capacityLeft } from '../capacity.ts'
import { linkHeader } from '../links.ts'
import { HttpProblem } from '../problem.ts'
import { answerTagged } from '../tagged-answer.ts'
import { WRITTEN, writtenIn } from '../written.ts'
import { type PageAddress, questionAddress } from './address.ts'
import { plainJson, shownItem } from './item-json.ts'
import { type Question, readQuestion } from './question.ts'
import { refusedQuestion } from './refusals.ts'
import type { Admitted, Served } from './served.ts'
import { cacheControl, seesAll, type View } from './view.ts'

/** How the pages of a list are addressed and told. */
export interface PageAnswer {
  /** Returns the address of another page of the list; undefined = the first. */
  readonly target: (at: PageAddress | undefined) => string
  /** Whether pages can be opened by number. */
  readonly numbered: boolean
  readonly explain: boolean
  readonly cacheControl?: string
}

/** Answers a page of a list, with links to the pages around it. */
export function answerPage(context: Context, page: Page<unknown>, answer: PageAnswer): Response {
  const { target, numbered, explain, cacheControl } = answer
  const to = (cursor: string | null) => (cursor === null ? undefined : target(cursor))
  const { next, previous } = page.cursors
  const { count } = page.page
  const last = numbered && count !== null && count > 0 ? target(count) : undefined
  context.header('Vary', WRITTEN, { append: true })
  context.header('Link', linkHeader({ next: to(next), prev: to(previous), first: target(undefined), last }))
  const { asOf, plan, ...rest } = page
  return answerTagged(context, rest, { asOf, plan: explain ? plan : null }, cacheControl)
}

/**
 * Returns a page without a total that is too old to be told. One that holds the whole list has it from the list, and one that was counted by the
 * page index has it from there.
 */
export function withKnownTotal<I>(page: Page<I>, countsBehind: () => number | undefined): Page<I> {
  const isWhole = page.cursors.next === null && page.cursors.previous === null
  if (page.plan.pageIndex !== null || isWhole || countsBehind() === undefined) return page
  return { ...page, page: { ...page.page, total: null, count: null } }
}

/** Answers a page of any collection's list. */
export async function answerList(
  context: Context,
  path: string,
  admitted: Admitted,
  search: URLSearchParams,
): Promise<Response> {
  const { served, access, view } = admitted
  const question = readQuestion(view, access, search)
  if (question.explain && !seesAll(view))
    throw new HttpProblem('forbidden', 'a plan tells of all attributes, and this caller does not see all of them')
  const read = await readPage(served, question, writtenIn(context.req)).catch((error: unknown) => {
    throw refusedQuestion(view, error)
  })
  const page = withKnownTotal(read, served.countsBehind)
  return answerPage(context, shownPage(view, page, question.explain), {
    target: (at) => path + questionAddress(view, question, at),
    numbered: isNumbered(served),
    explain: question.explain,
    cacheControl: cacheControl(access),
  })
}

function readPage(
  { client, maxCapacity }: Served,
  { query, page, cursor, counts }: Question,
  written: readonly string[] | undefined,
): Promise<Page<unknown>> {
  // What was checked against the declaration has its types only there.
  const asked = { ...query, counts, written, maxCapacity: capacityLeft(maxCapacity) }
  return page === undefined ? client.list({ ...asked, cursor } as never) : client.page(page, asked as never)
}

function shownPage(view: View, page: Page<unknown>, explain: boolean): Page<unknown> {
  const { facets } = page
  return {
    ...page,
    items: page.items.map((item) => shownItem(view, item)),
    facets: facets === null ? null : shownFacets(view, facets),
    plan: explain ? (plainJson(page.plan) as Page<unknown>['plan']) : page.plan,
  }
}

/** Returns the counts of the facets that the caller sees. */
export function shownFacets<T>({ collection }: View, facets: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(facets).filter(([facet]) => Object.hasOwn(collection.facets, facet)))
}

/** Tells whether pages can be opened by number. */
export function isNumbered({ client }: Pick<Served, 'client'>): boolean {
  const { pages, columns } = client.context
  return pages.length > 0 || columns !== undefined
}
