import type { Lists } from '../layouts/layout.ts'
import { LapidaryError } from '../model/errors.ts'
import { compareBytes } from '../model/key-text.ts'
import { isEmptyQuery, type Query } from '../model/query.ts'
import type { Estimates } from './estimates.ts'
import { ROUND_PRICE_RCU } from './fetch-sizes.ts'
import type { Plan, RejectedPlan } from './plan.ts'
import { emptyText } from './plan-text.ts'
import { type PricedPath, pricePath } from './price.ts'

/** The most lists that one plan reads in parallel, unless the caller says otherwise. */
export const MAX_SOURCES = 32

/** Below this share of hits a filter expression is reported: most of what it reads is thrown away. */
const LOW_HIT_RATE = 0.3

export interface PlannerOptions {
  /** Cap on the lists that one plan reads; {@link MAX_SOURCES} when not given. */
  readonly maxSources?: number
  /** What an extra round is worth, in RCU; {@link ROUND_PRICE_RCU} when not given. */
  readonly roundPrice?: number | undefined
}

/**
 * The cheapest plan for a query, with the plans that were rejected and why. Pure: it reads nothing, and the same question
 * on the same estimates gets the same plan.
 *
 * @throws {LapidaryError} `query_not_plannable` when no index can answer, with each index's reason.
 */
export function planQuery(lists: Lists, query: Query, estimates: Estimates, options: PlannerOptions = {}): Plan {
  const plans = plansOn(lists, estimates)
  const question = JSON.stringify([query, options.maxSources ?? null, options.roundPrice ?? null])
  const known = plans.get(question)
  if (known !== undefined) return known
  const plan = choosePlan(lists, query, estimates, options)
  const [oldest] = plans.keys()
  if (plans.size >= REMEMBERED_PLANS && oldest !== undefined) plans.delete(oldest)
  plans.set(question, plan)
  return plan
}

/** Plans of popular queries are made once for as long as the estimates are the same; the oldest are forgotten. */
const REMEMBERED_PLANS = 500
const remembered = new WeakMap<Lists, WeakMap<Estimates, Map<string, Plan>>>()

function plansOn(lists: Lists, estimates: Estimates): Map<string, Plan> {
  const onLists = remembered.get(lists) ?? new WeakMap<Estimates, Map<string, Plan>>()
  remembered.set(lists, onLists)
  const plans = onLists.get(estimates) ?? new Map<string, Plan>()
  onLists.set(estimates, plans)
  return plans
}

function choosePlan(lists: Lists, query: Query, estimates: Estimates, options: PlannerOptions): Plan {
  if (isEmptyQuery(query)) return emptyPlan(query, estimates, 'no value or no time is left to match', [])

  const { paths, refused } = lists.accessPaths(
    query,
    (facet) => estimates.values(facet),
    options.maxSources ?? MAX_SOURCES,
  )
  const roundPrice = options.roundPrice ?? ROUND_PRICE_RCU
  const priced = paths.map((path) => pricePath(path, query, estimates, roundPrice)).sort(byPrice)
  const [best, ...others] = priced
  const refusals = refused.map(({ index, reason }): RejectedPlan => ({ text: index, rcu: null, reason }))
  if (best === undefined) {
    throw new LapidaryError(
      'query_not_plannable',
      `no index can answer the query: ${refused.map(({ index, reason }) => `${index} ${reason}`).join('; ')}. Declare an index for it, or the facet's values`,
      { details: { refused: refusals } },
    )
  }
  const caps = refused.filter(({ capped }) => capped).map(({ index, reason }) => `${index} ${reason}`)
  if (best.root === undefined) return emptyPlan(query, estimates, 'statistics count no item in any list', caps)

  const limits = [...caps]
  if (best.skipped.length > 0) limits.push(`not read, counted empty: ${best.skipped.join(', ')}`)
  if (best.hitRate < LOW_HIT_RATE) {
    limits.push(
      `the filter lets through ${Math.round(best.hitRate * 100)} % of what it reads; an index on its facets would be cheaper`,
    )
  }
  return Object.freeze({
    kind: 'plan',
    query,
    root: best.root,
    text: best.text,
    estimated: best.estimated,
    basis: estimates.basis,
    roundPrice,
    trust: estimates.trust,
    rejected: Object.freeze([...others.map((other) => rejection(other, best)), ...refusals]),
    limits: Object.freeze(limits),
  })
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
  return { text: plan.text, rcu: plan.estimated.rcu, reason }
}

function emptyPlan(query: Query, estimates: Estimates, reason: string, limits: readonly string[]): Plan {
  return Object.freeze({
    kind: 'plan',
    query,
    root: Object.freeze({ kind: 'empty', reason }),
    text: emptyText(reason),
    estimated: Object.freeze({ rcu: 0, requests: 0, rounds: 0 }),
    basis: estimates.basis,
    roundPrice: 0,
    trust: estimates.trust,
    rejected: [],
    limits,
  })
}
