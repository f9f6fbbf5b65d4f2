import { boundBeyond, type Ranked } from '../cursor/cursor.ts'
import { boardLists } from '../derived/leaderboards/board-lists.ts'
import { type Place, placeFrom } from '../derived/leaderboards/board-position.ts'
import { boardFacets, boardShape } from '../derived/leaderboards/leaderboard-keys.ts'
import type { Shape } from '../derived/register/shape.ts'
import { execute } from '../executor/execute.ts'
import type { Lists } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import type { FacetValue } from '../model/facet.ts'
import { typedValue, valueProblem } from '../model/facet-values.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import type { Leaderboard } from '../model/leaderboard.ts'
import { ownValue } from '../model/own-value.ts'
import { MAX_LIMIT, type Query, type Selection } from '../model/query.ts'
import { scopeOfPartition } from '../model/reserved-keys.ts'
import { exactSize } from '../planner/entry-size.ts'
import type { Estimates } from '../planner/estimates.ts'
import { type ExplainedPlan, explainPlan } from '../planner/explain.ts'
import { planQuery } from '../planner/plan-query.ts'
import type { ReadContext } from './context.ts'
import { type ToldNumber, toldAverage, toldSum } from './told-number.ts'

/** Which board, and how much of it. */
export interface LeaderboardQuery {
  readonly name: string
  /** One value for each `oneOf` facet; of all items when not given. */
  readonly where?: Readonly<Record<string, FacetValue | undefined>>
  /** 1 to 100; 10 when not given. */
  readonly limit?: number
  /** The cursor of another page of the same board, to go on from; null is the first page. */
  readonly cursor?: string | null | undefined
}

/** A scope on a leaderboard. */
export interface LeaderboardEntry {
  readonly scope: string
  /** The number of items that count: on a board by a sum or an average, those that have the attribute. */
  readonly count: number
  /** The sum, on a board by it: a text with all digits where the attribute's numbers are decimals. */
  readonly sum?: ToldNumber
  /** The average, on a board by it, rounded to 38 digits: a text where the attribute's numbers are decimals. */
  readonly average?: number | string
  readonly rank: number
}

/**
 * Scopes in order of their count, sum or average, highest first. Equal ones share a rank; they are ordered by scope, and on a board by a sum or an
 * average by their count before.
 */
export interface LeaderboardPage {
  /** Null where the board is not known; a note of the plan says why. */
  readonly entries: readonly LeaderboardEntry[] | null
  readonly cursors: {
    /** Null exactly at the end. */
    readonly next: string | null
  }
  /** Up to when nothing is left to count; null when no process that knows runs here. */
  readonly asOf: string | null
  readonly plan: ExplainedPlan
}

const NAMES: OptionNames<LeaderboardQuery> = { name: true, where: true, limit: true, cursor: true }

/** The weight of a leaderboard entry in its index: keys and a count. */
const ENTRY_SIZE = exactSize(150)

/**
 * Reads a leaderboard: the merge of its shards, as any other list.
 *
 * @throws {LapidaryError} `not_found` when no board has the name, `unprocessable` for a wrong filter or limit,
 * `cursor_invalid`, `cursor_mismatch`.
 */
export async function readLeaderboard(context: ReadContext, asked: LeaderboardQuery): Promise<LeaderboardPage> {
  const { name, where = {}, limit = 10, cursor } = knownOptions('the leaderboard', asked, NAMES)
  const { collection, table, codec, now, cursors, maxSources, roundPrice } = context
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
  const lists = listsOf(context, board)
  const selection = byValues(context, where)
  const query: Query = { scope: name, where: selection, from: undefined, to: undefined, order: 'oldest', limit }
  // No collection is named with a space, so a cursor of a board is none of a list.
  const ranking = { name: `${collection.name} leaderboard` }
  const point = cursor === undefined || cursor === null ? undefined : cursors.decode(ranking, query, cursor)
  const plan = planQuery(lists, query, boardEstimates(board), {
    maxSources: Math.max(maxSources, board.shards),
    roundPrice,
  })
  const [unknown, execution] = await Promise.all([
    context.derivedStates.unknown(lists.shape),
    execute(plan, { table, lists, codec, now, point }),
  ])
  if (unknown !== undefined) {
    const explained = explainPlan(plan, execution, { unknown: { what: 'leaderboard', reason: unknown } })
    return { entries: null, cursors: { next: null }, asOf: null, plan: explained }
  }
  const last = point && { ...(point.ranked as Ranked), ...placeFrom(point.bound.order) }
  const entries = ranked(
    execution.heads.map(({ entry, position }) => ({
      scope: scopeOfPartition(entry.PK?.S ?? '') ?? '',
      ...placeFrom(position.order),
    })),
    last,
  ).map(({ value, ...entry }): LeaderboardEntry => ({ ...entry, ...told(collection, board, value) }))
  const { frontier, more } = execution
  const rank = entries.at(-1)?.rank ?? 0
  return {
    entries,
    cursors: {
      next:
        more && frontier !== undefined
          ? cursors.encode(ranking, query, {
              direction: 'forward',
              bound: boundBeyond(query, 'forward', frontier),
              ranked: { before: (last?.before ?? 0) + entries.length, rank },
            })
          : null,
    },
    asOf: context.statistics?.caughtUpAt() ?? null,
    plan: explainPlan(plan, execution),
  }
}

/** One for each board of a context, so that plans made on it are remembered. */
const boards = new WeakMap<ReadContext, Map<Leaderboard, BoardLists>>()

interface BoardLists extends Lists {
  readonly shape: Shape
}

function listsOf(context: ReadContext, board: Leaderboard): BoardLists {
  const { collection, layout } = context
  const shape = boardShape(collection, layout, board)
  if (layout.carrier === undefined || shape === undefined) {
    throw new LapidaryError('not_implemented', `no index of ${collection.name} can carry the leaderboard ${board.name}`)
  }
  const known = boards.get(context) ?? new Map<Leaderboard, BoardLists>()
  boards.set(context, known)
  const lists = known.get(board) ?? Object.freeze({ ...boardLists(shape, layout.carrier), shape })
  known.set(board, lists)
  return lists
}

const estimates = new WeakMap<Leaderboard, Estimates>()

/** Scopes are spread evenly over the shards, by a hash. */
function boardEstimates(board: Leaderboard): Estimates {
  const known: Estimates = estimates.get(board) ?? {
    basis: 'default',
    size: () => ENTRY_SIZE,
    bytes: () => ENTRY_SIZE.mean,
    sizeClasses: () => undefined,
    // A hash spreads scopes: the shards are as even near one place as anywhere.
    trust: Number.POSITIVE_INFINITY,
    count: () => undefined,
    share: () => 1 / board.shards,
    values: () => undefined,
    seen: () => undefined,
  }
  estimates.set(board, known)
  return known
}

/** Standard competition ranks: those that are equal share one, and the next is as many places further down. */
function ranked<P extends Place>(entries: readonly P[], last: (Ranked & Place) | undefined): readonly (P & Ranking)[] {
  let rank = last?.rank ?? 0
  let previous = last && rankedBy(last)
  return entries.map((entry, i) => {
    if (rankedBy(entry) !== previous) rank = (last?.before ?? 0) + i + 1
    previous = rankedBy(entry)
    return { ...entry, rank }
  })
}

type Ranking = Pick<LeaderboardEntry, 'rank'>

function rankedBy({ count, value }: Place): number | string {
  return value ?? count
}

/** What a board by a sum or an average tells beside the count. */
function told(
  collection: Collection,
  { by }: Leaderboard,
  value: string | undefined,
): Pick<LeaderboardEntry, 'sum' | 'average'> {
  if (by === undefined || value === undefined) return {}
  return by.of === 'sum'
    ? { sum: toldSum(collection, by.attribute, value) }
    : { average: toldAverage(collection, by.attribute, value) }
}

function byValues({ collection }: ReadContext, where: Readonly<Record<string, FacetValue | undefined>>): Selection {
  const by = boardFacets(collection)
  const given = Object.entries(where).filter(([, value]) => value !== undefined)
  if (given.length === 0) return {}
  const values = by.map((facet) => {
    const declared = ownValue(collection.facets, facet)
    return [
      facet,
      declared === undefined ? ownValue(where, facet) : typedValue(declared, ownValue(where, facet)),
    ] as const
  })
  const errors = [
    ...given
      .filter(([facet]) => !by.includes(facet))
      .map(([path]) => ({
        path,
        message: `is not a oneOf facet that is counted; boards are kept for ${by.join(', ')}`,
      })),
    ...values.flatMap(([facet, value]) => {
      const declared = ownValue(collection.facets, facet)
      const message = declared === undefined ? undefined : valueProblem(declared, value)
      return message === undefined ? [] : [{ path: facet, message }]
    }),
  ]
  if (errors.length > 0)
    throw new LapidaryError(
      'unprocessable',
      `the leaderboard has no such filter: ${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
      { details: { errors } },
    )
  return Object.fromEntries(values.map(([facet, value]) => [facet, [value as FacetValue]]))
}
