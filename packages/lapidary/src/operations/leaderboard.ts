import { execute } from '../executor/execute.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { type FacetValue, valueProblem } from '../model/facet.ts'
import { MAX_LIMIT, type Query } from '../model/query.ts'
import { exactSize, readPrice } from '../planner/entry-size.ts'
import { fetchSizes, ROUND_PRICE_RCU } from '../planner/fetch-sizes.ts'
import type { LimitNode, Plan, SourceNode } from '../planner/plan.ts'
import { planText } from '../planner/plan-text.ts'
import { leaderboardEntry, leaderboardLists } from '../projections/leaderboard.ts'
import { statisticsShape } from '../projections/statistics-shape.ts'
import type { CollectionContext } from './context.ts'
import { type ExplainedPlan, explainPlan } from './explained-plan.ts'

/** Which board, and how much of it. */
export interface LeaderboardQuery {
  readonly name: string
  /** One value for each `oneOf` facet; of all items when not given. */
  readonly where?: Readonly<Record<string, FacetValue | undefined>>
  /** 1 to 100; 10 when not given. */
  readonly limit?: number
}

/** Scopes in order of their count, most first; equal counts share a rank and are ordered by scope. */
export interface LeaderboardPage {
  readonly entries: readonly { readonly scope: string; readonly count: number; readonly rank: number }[]
  /** Up to when nothing is left to count; null when no process that knows runs here. */
  readonly asOf: string | null
  readonly plan: ExplainedPlan
}

/** Bytes of a leaderboard entry in its index: keys, a count and a scope's id. */
const ENTRY_SIZE = exactSize(150)

/**
 * Reads a leaderboard: the merge of its shards, as any other list.
 *
 * @throws {LapidaryError} `not_found` when no board has the name, `unprocessable` for a wrong filter or limit.
 */
export async function readLeaderboard(
  context: CollectionContext,
  { name, where = {}, limit = 10 }: LeaderboardQuery,
): Promise<LeaderboardPage> {
  const { collection, layout, table, codec, now } = context
  const board = collection.leaderboards.find((declared) => declared.name === name)
  if (board === undefined) {
    const known = collection.leaderboards.map((declared) => declared.name).join(', ') || 'none'
    throw new LapidaryError('not_found', `there is no leaderboard ${shown(name)}; declared: ${known}`)
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new LapidaryError(
      'unprocessable',
      `limit must be a whole number from 1 to ${MAX_LIMIT}, not ${shown(limit)}`,
      {
        details: { errors: [{ path: 'limit', message: `must be a whole number from 1 to ${MAX_LIMIT}` }] },
      },
    )
  }
  const lists = leaderboardLists(collection, layout, board, byValues(context, where))
  const query: Query = { scope: '', where: {}, from: undefined, to: undefined, order: 'oldest', limit }
  const share = 1 / lists.length
  const roundPrice = context.roundPrice ?? ROUND_PRICE_RCU
  const trust = Number.POSITIVE_INFINITY
  const sizes = fetchSizes(
    lists.map(() => ({ share, hitRate: 1, trust, size: ENTRY_SIZE, ahead: 0, buffered: 0, remaining: undefined })),
    limit,
    roundPrice,
  )
  const sources = lists.map((list, i): SourceNode => {
    const fetch = sizes.items[i] ?? limit
    return { kind: 'source', list, fetch, share, count: undefined, size: ENTRY_SIZE, rcu: readPrice(fetch, ENTRY_SIZE) }
  })
  const [first] = sources
  if (first === undefined)
    throw new LapidaryError('not_implemented', `the layout ${layout.name} has no index that carries leaderboards`)
  const root: LimitNode = {
    kind: 'limit',
    size: limit,
    input: sources.length === 1 ? first : { kind: 'merge', order: query.order, inputs: sources },
  }
  const estimated = { rcu: sizes.rcu, requests: sources.length, rounds: 1 + sizes.blocked }
  const plan: Plan = {
    kind: 'plan',
    query,
    root,
    text: planText(root, query, estimated),
    estimated,
    basis: 'default',
    roundPrice,
    trust,
    rejected: [],
    limits: [],
  }
  const execution = await execute(plan, {
    table,
    layout,
    codec,
    now,
    point: undefined,
  })
  const entries = execution.heads.map(({ position }) => leaderboardEntry(position))
  return {
    entries: ranked(entries),
    asOf: context.statistics?.caughtUpAt() ?? null,
    plan: explainPlan(plan, execution),
  }
}

/** Standard competition ranks: equal counts share one, and the next is as many places further down. */
function ranked(entries: readonly { readonly scope: string; readonly count: number }[]): LeaderboardPage['entries'] {
  let rank = 0
  let previous: number | undefined
  return entries.map((entry, i) => {
    if (entry.count !== previous) rank = i + 1
    previous = entry.count
    return { ...entry, rank }
  })
}

function byValues(
  { collection }: CollectionContext,
  where: Readonly<Record<string, FacetValue | undefined>>,
): readonly FacetValue[] {
  const { by } = statisticsShape(collection)
  const given = Object.entries(where).filter(([, value]) => value !== undefined)
  if (given.length === 0) return []
  const errors = [
    ...given
      .filter(([facet]) => !by.includes(facet))
      .map(([path]) => ({ path, message: `is not a oneOf facet; boards are kept for ${by.join(', ')}` })),
    ...by.flatMap((facet) => {
      const declared = collection.facets[facet]
      const message = declared === undefined ? undefined : valueProblem(declared, where[facet])
      return message === undefined ? [] : [{ path: facet, message }]
    }),
  ]
  if (errors.length > 0)
    throw new LapidaryError(
      'unprocessable',
      `the leaderboard has no such filter: ${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
      { details: { errors } },
    )
  return by.map((facet) => where[facet] as FacetValue)
}
