import type { AccessPath, AccessPaths, KnownValues, Lists, RefusedPath } from '../layouts/layout.ts'
import { isBeyondQuery, type Refusal, refusalText } from '../layouts/refusal.ts'
import { impliedValues } from '../model/condition-within.ts'
import { LapidaryError } from '../model/errors.ts'
import type { FacetValue } from '../model/facet.ts'
import { compareBytes } from '../model/key-text.ts'
import { isEmptyQuery, type Query } from '../model/query.ts'
import type { Estimates, RecentLists } from './estimates.ts'
import { ROUND_PRICE_RCU } from './fetch-sizes.ts'
import { keepLatest } from './keep-latest.ts'
import type { EmptyReason, Plan, RejectedPlan } from './plan.ts'
import type { PlanNote } from './plan-note.ts'
import { emptyText } from './plan-text.ts'
import { isOneList, LOW_HIT_RATE, type PricedPath, pricePath, rootOf, type WeighedPath, weighPath } from './price.ts'
import { accessPathsOf } from './scopes.ts'
import { queriesOfUnions, unionOf } from './union.ts'

/** The most lists that one plan reads in parallel, unless the caller says otherwise. */
export const MAX_SOURCES = 32

export interface PlannerOptions {
  /** Cap on the lists that one plan reads; {@link MAX_SOURCES} when not given. */
  readonly maxSources?: number
  /** The price of an extra round, in RCU; {@link ROUND_PRICE_RCU} when not given. */
  readonly roundPrice?: number | undefined
  /** Tells what the lists gave lately, near where the page begins; a list is taken as a whole where nothing is known. */
  readonly recent?: RecentLists | undefined
  /** Indexes that may not be read now, each with the reason: those that are not complete. */
  readonly unusable?: ReadonlyMap<string, Refusal> | undefined
}

/**
 * The cheapest plan for a query, with the plans that were rejected and why. Pure: it reads nothing, and the same question
 * on the same estimates gets the same plan.
 *
 * @throws {LapidaryError} `query_not_plannable` when no index can answer, with each index's reason.
 */
export function planQuery(lists: Lists, query: Query, estimates: Estimates, options: PlannerOptions = {}): Plan {
  const { recent, unusable, maxSources = MAX_SOURCES, roundPrice = ROUND_PRICE_RCU } = options
  const questions = questionsOn(lists)
  const without = unusable === undefined || unusable.size === 0 ? [] : [[...unusable]]
  const asked = JSON.stringify([query, maxSources, roundPrice, ...without])
  const known = questions.get(asked)
  const question =
    known?.estimates === estimates ? known : waysToAnswer(lists, query, estimates, { unusable, maxSources, roundPrice })
  keepLatest(questions, asked, question, REMEMBERED_QUESTIONS)
  return recent === undefined ? question.plan : localPlan(question, recent)
}

/** A query on some estimates: what stays the same wherever its pages begin. */
interface Question {
  readonly query: Query
  readonly estimates: Estimates
  readonly roundPrice: number
  readonly ways: readonly PricedPath[]
  readonly refused: readonly RefusedPath[]
  /** For a page of whose place nothing is known. */
  readonly plan: Plan
  /** The way that it takes. */
  readonly best: PricedPath | undefined
}

/**
 * Popular queries are weighed once for as long as the estimates are the same; of one query only the latest estimates are kept. Last
 * asked, last forgotten; each takes some 20 KB.
 */
const REMEMBERED_QUESTIONS = 1_000
const remembered = new WeakMap<Lists, Map<string, Question>>()

function questionsOn(lists: Lists): Map<string, Question> {
  const questions = remembered.get(lists) ?? new Map<string, Question>()
  remembered.set(lists, questions)
  return questions
}

function waysToAnswer(
  lists: Lists,
  query: Query,
  estimates: Estimates,
  {
    unusable,
    maxSources,
    roundPrice,
  }: Pick<PlannerOptions, 'unusable'> & {
    readonly maxSources: number
    readonly roundPrice: number
  },
): Question {
  if (isEmptyQuery(query)) {
    const plan = emptyPlan(query, estimates, 'unmatched', [])
    return { query, estimates, roundPrice, ways: [], refused: [], plan, best: undefined }
  }
  const answering: AccessPath[] = []
  const waysOf = (asked: Query): { readonly ways: readonly PricedPath[]; readonly all: AccessPaths } => {
    const known: KnownValues = (facet) => askedValues(asked, facet) ?? estimates.values(facet)
    const all = accessPathsOf(lists, asked, known, maxSources)
    answering.push(...all.paths)
    const paths = all.paths.filter(({ index }) => unusable?.has(index) !== true)
    return { all, ways: paths.map((path) => pricePath(weighPath(path, estimates, asked.also), asked, roundPrice)) }
  }
  const { all, ways: single } = waysOf(query)
  const unions = queriesOfUnions(query, maxSources).flatMap((queries) => {
    const best = queries.map((asked) => cheapestOf(waysOf(asked).ways)?.path)
    const union =
      query.also === undefined || best.includes(undefined)
        ? undefined
        : unionOf(best as readonly WeighedPath[], query.also)
    return union === undefined || union.lists.length > maxSources ? [] : [pricePath(union, query, roundPrice)]
  })
  const ways = [...single, ...unions]
  const refused = [...all.refused, ...refusedOf(answering, unusable)]
  const question = { query, estimates, roundPrice, ways, refused }
  return { ...question, plan: cheapestPlan(question, ways), best: cheapestOf(ways) }
}

/** Returns the values of a facet outside of which nothing is asked. Not every layout has a list for the empty text, which no native key holds. */
function askedValues({ also }: Query, facet: string): readonly FacetValue[] | undefined {
  const values = also && impliedValues(also, facet)
  return values?.includes('') ? undefined : values
}

/** Refuses the ways that would answer, but for the state of their index; once for each index. */
function refusedOf(paths: readonly AccessPath[], unusable: PlannerOptions['unusable']): readonly RefusedPath[] {
  const indexes = new Set(paths.map(({ index }) => index))
  return [...(unusable ?? [])].flatMap(([index, refusal]) => (indexes.has(index) ? [{ index, refusal }] : []))
}

/** Prices the ways again of which it is known what their lists gave nearby: as a rule the one that the last page took. */
function localPlan(question: Question, recent: RecentLists): Plan {
  const { query, roundPrice, ways, plan } = question
  if (ways.length === 0) return plan
  const local = ways.map((way) => {
    // One list that is the answer has all of it, wherever the page begins.
    if (isOneList(way.path)) return way
    const nearby = way.path.lists.map(recent)
    return nearby.includes(undefined) ? way : pricePath(way.path, query, roundPrice, nearby)
  })
  const best = local.reduce((least, way) => (byPrice(way, least) < 0 ? way : least), local[0] as PricedPath)
  if (best.path !== question.best?.path) return cheapestPlan(question, local)
  if (best === question.best) return plan
  // The same way, with other sizes: what was rejected stays so, at the prices of whole lists.
  return Object.freeze({ ...plan, root: rootOf(best, query) ?? plan.root, text: best.text, estimated: best.estimated })
}

function cheapestPlan(
  { query, estimates, roundPrice, refused }: Omit<Question, 'plan' | 'best'>,
  ways: readonly PricedPath[],
): Plan {
  const [best, ...others] = ways.toSorted(byPrice)
  const refusals = refused.map(
    ({ index, refusal }): RejectedPlan => ({
      ...{ text: index, rcu: null, rounds: null },
      ...{ reason: refusalText(refusal), refusal },
    }),
  )
  if (best === undefined) {
    throw new LapidaryError(
      'query_not_plannable',
      `no index can answer the query: ${refusals.map(({ text, reason }) => `${text} ${reason}`).join('; ') || 'none is in its order'}. Declare an index for it, or the facet's values`,
      { details: { refused: refusals } },
    )
  }
  const caps = refused.flatMap(({ index, refusal }): PlanNote[] =>
    isBeyondQuery(refusal) ? [{ kind: 'refused', index, refusal }] : [],
  )
  const root = rootOf(best, query)
  if (root === undefined) return emptyPlan(query, estimates, 'unmatched', caps)
  const notes = [...caps]
  if (best.hitRate < LOW_HIT_RATE) notes.push({ kind: 'filter', share: best.hitRate })
  return Object.freeze({
    kind: 'plan',
    query,
    root,
    text: best.text,
    estimated: best.estimated,
    basis: estimates.basis,
    roundPrice,
    trust: estimates.trust,
    rejected: Object.freeze([...others.map((other) => rejection(other, best)), ...refusals]),
    notes: Object.freeze(notes),
  })
}

function cheapestOf(ways: readonly PricedPath[]): PricedPath | undefined {
  return ways.toSorted(byPrice)[0]
}

function byPrice(a: PricedPath, b: PricedPath): number {
  return a.score - b.score || a.estimated.requests - b.estimated.requests || compareBytes(a.text, b.text)
}

function rejection(plan: PricedPath, best: PricedPath): RejectedPlan {
  const difference = plan.score - best.score
  const reason =
    difference > 0
      ? `costs ${difference.toFixed(2)} RCU more, extra rounds priced in`
      : plan.estimated.requests > best.estimated.requests
        ? 'costs the same with more requests'
        : 'costs the same'
  return { text: plan.text, rcu: plan.estimated.rcu, rounds: plan.estimated.rounds, reason }
}

/** A plan that reads nothing, and why. */
export function emptyPlan(query: Query, estimates: Estimates, reason: EmptyReason, notes: readonly PlanNote[]): Plan {
  return Object.freeze({
    kind: 'plan',
    query,
    root: Object.freeze({ kind: 'empty', reason }),
    text: `${emptyText(reason)} -- 0 RCU, 0 rounds`,
    estimated: Object.freeze({ rcu: 0, requests: 0, rounds: 0 }),
    basis: estimates.basis,
    roundPrice: 0,
    trust: estimates.trust,
    rejected: [],
    notes,
  })
}
