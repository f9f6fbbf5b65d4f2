import type { Context } from 'hono'
import { type Counts, LapidaryError, type LeaderboardPage, MAX_LIMIT, type Span, shown } from 'lapidary'
import { linkHeader } from '../links.ts'
import { HttpProblem } from '../problem.ts'
import { answerTagged } from '../tagged-answer.ts'
import { shownFacets } from './answer-page.ts'
import { plainJson } from './item-json.ts'
import { orderBound } from './order-bound.ts'
import { type ParameterReader, parameterReader } from './parameter-reader.ts'
import { checked, filterOf, isAcross } from './question.ts'
import { refusedQuestion } from './refusals.ts'
import type { Admitted } from './served.ts'
import { cacheControl, type View } from './view.ts'

/** The lengths of the parts of a time line. */
export const SPANS: readonly Span[] = ['day', 'week', 'month']
/** The most scopes of a board when it does not say. */
export const DEFAULT_BOARD = 10

/** Stands for a scope in a filter of all scopes while it is checked. */
const ANY_SCOPE = 'any'

/** Answers how many items pass a filter, by facets, with sums and over time. */
export async function answerCounts(context: Context, admitted: Admitted, search: URLSearchParams): Promise<Response> {
  const { served, access, view } = admitted
  const read = parameterReader(search)
  const every = read.choice('every', SPANS)
  const end = (name: 'from' | 'to'): unknown =>
    every === undefined ? orderBound(read, name, view.collection.order) : read.one(name)
  const told = {
    ...{ every, from: end('from'), to: end('to'), zone: read.one('zone') },
    by: named(read, 'by', Object.keys(view.collection.facets)),
    sums: named(read, 'sums', view.collection.sums),
  }
  const isOfAll = view.collection.statistics.across !== undefined
  const filter = filterOf(view, access, read, isOfAll || isAcross(view.collection))
  const { scope, where } = filter
  checked(view, { ...filter, scope: scope ?? (isOfAll ? [ANY_SCOPE] : undefined) }, read)
  const asked = Object.fromEntries(Object.entries({ scope, where, ...told }).filter(([, value]) => value !== undefined))
  const counts = await served.client.count(asked as never).catch((error: unknown) => {
    throw noCounts(error) ?? refusedQuestion(view, error)
  })
  const behind = served.countsBehind() !== undefined
  const { asOf, ...body } = shownCounts(view, counts, behind)
  return answerTagged(context, body, { asOf }, cacheControl(access))
}

function noCounts(error: unknown): HttpProblem | undefined {
  if (!(error instanceof LapidaryError) || error.code !== 'not_implemented') return undefined
  return new HttpProblem('not_implemented', 'this server keeps no counts of this', { cause: error })
}

function shownCounts(view: View, { total, facets, sums, series, asOf, unknown }: Counts, behind: boolean) {
  return {
    total: behind ? null : total,
    facets: facets === null ? null : shownFacets(view, facets),
    sums: plainJson(sums),
    series: plainJson(series),
    unknown,
    asOf,
  }
}

/** Reads names of which there are some; undefined where none is given. */
function named(read: ParameterReader, parameter: string, known: readonly string[]): readonly string[] | undefined {
  const names = read.list(parameter)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined) {
    const there = known.length === 0 ? 'there are none here' : `there are ${known.join(', ')}`
    return read.refuse(parameter, `names ${shown(wrong)}; ${there}`)
  }
  return names.length === 0 ? undefined : names
}

/** Answers the scopes of a leaderboard. It is of all scopes, so only a caller who may read all of them has it. */
export async function answerLeaderboard(
  context: Context,
  path: string,
  { admitted: { served, access, view }, name }: { readonly admitted: Admitted; readonly name: string },
  search: URLSearchParams,
): Promise<Response> {
  const board = view.collection.leaderboards.find((each) => each.name === name)
  if (board === undefined || access.reads !== undefined)
    throw new HttpProblem('not_found', `there is no leaderboard ${shown(name)}`)
  const read = parameterReader(search)
  const limit = read.whole('limit', MAX_LIMIT)
  const cursor = read.one('cursor')
  const where: Record<string, string> = Object.create(null)
  for (const facet of boardFacets(view)) {
    const [value, ...more] = read.list(facet)
    if (more.length > 0) read.refuse(facet, 'must be one value: a board is kept for each')
    else if (value !== undefined) where[facet] = value
  }
  read.finish()
  const page = await served.client
    .leaderboard({ name: name as never, where, cursor, ...(limit === undefined ? {} : { limit }) })
    .catch((error: unknown) => {
      throw refusedQuestion(view, error)
    })
  const target = (next: string | null): string => boardAddress(path, { where, limit, next })
  const { next } = page.cursors
  context.header('Link', linkHeader({ next: next === null ? undefined : target(next), first: target(null) }))
  return answerTagged(context, shownBoard(page), { asOf: page.asOf }, cacheControl(access))
}

function shownBoard({ entries, cursors }: LeaderboardPage): Readonly<Record<string, unknown>> {
  return { entries: plainJson(entries), cursors }
}

interface BoardQuestion {
  readonly where: Readonly<Record<string, string>>
  readonly limit: number | undefined
  readonly next: string | null
}

function boardAddress(path: string, { where, limit, next }: BoardQuestion): string {
  const search = new URLSearchParams(where)
  if (limit !== undefined && limit !== DEFAULT_BOARD) search.set('limit', String(limit))
  if (next !== null) search.set('cursor', next)
  return search.size === 0 ? path : `${path}?${search}`
}

/** Returns the facets by whose values boards are kept. */
export function boardFacets({ collection, parameters }: View): readonly string[] {
  return Object.entries(collection.facets).flatMap(([name, { kind, counted }]) =>
    kind === 'oneOf' && counted && parameters.get(name)?.asks === 'values' ? [name] : [],
  )
}
