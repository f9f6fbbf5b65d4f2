import type { AccessPath } from '../layouts/layout.ts'
import type { Query, Selection } from '../model/query.ts'
import { readPrice } from './entry-size.ts'
import type { Estimates } from './estimates.ts'
import { type FetchSizes, fetchSizes, type SourceShare } from './fetch-sizes.ts'
import { localSources } from './local-shares.ts'
import type { FilterNode, LimitNode, PlanEstimate, SourceNode } from './plan.ts'
import { planText } from './plan-text.ts'

/** A way to answer with its price. Lower score is better; equal scores go to fewer requests, then to the text. */
export interface PricedPath {
  readonly root: LimitNode | undefined
  readonly text: string
  readonly estimated: PlanEstimate
  readonly score: number
  readonly hitRate: number
  /** Labels of lists that are known to be empty and are not read. */
  readonly skipped: readonly string[]
}

/** Prices one way to answer a query: expected capacity, plus a set price for each expected extra round. */
export function pricePath(path: AccessPath, query: Query, estimates: Estimates, roundPrice: number): PricedPath {
  const live = path.lists.filter((list) => estimates.count(narrowed(list.holds, path.residual)) !== 0)
  const skipped = path.lists.filter((list) => !live.includes(list)).map(({ label }) => label)
  const filtered = Object.keys(path.residual).length > 0
  const whole = live.map((list): SourceShare => {
    const held = estimates.share(list.holds)
    const answered = estimates.share(narrowed(list.holds, path.residual))
    return {
      share: answered,
      hitRate: !filtered || held === 0 ? 1 : Math.min(1, answered / held),
      trust: estimates.trust,
      size: estimates.size(list),
      ahead: 0,
      buffered: 0,
      remaining: query.from === undefined && query.to === undefined ? estimates.count(list.holds) : undefined,
    }
  })
  const sources = localSources(whole, live.map(estimates.recent), query.limit)
  const sizes = fetchSizes(sources, query.limit, roundPrice)
  const estimated = estimateOf(sizes)
  const hitRate = sources.reduce((sum, { share, hitRate: rate }) => sum + share * rate, 0)

  const leaves = live.map((list, i): SourceNode | FilterNode => {
    const fetch = sizes.items[i] ?? 0
    const { share, size, hitRate } = sources[i] as SourceShare
    const source: SourceNode = Object.freeze({
      kind: 'source',
      list,
      fetch,
      share,
      count: estimates.count(list.holds),
      size,
      rcu: readPrice(Math.min(fetch, estimates.count(list.holds) ?? fetch), size),
    })
    if (!filtered) return source
    return Object.freeze({
      kind: 'filter',
      residual: path.residual,
      hitRate,
      input: source,
    })
  })
  const [first] = leaves
  if (first === undefined) return { root: undefined, text: '', estimated: NOTHING, score: 0, hitRate: 1, skipped }
  const input =
    leaves.length === 1
      ? first
      : Object.freeze({ kind: 'merge' as const, order: query.order, inputs: Object.freeze(leaves) })
  const root: LimitNode = Object.freeze({ kind: 'limit', size: query.limit, input })
  return {
    root,
    text: planText(root, query, estimated),
    estimated,
    score: estimated.rcu + roundPrice * (estimated.rounds - 1),
    hitRate,
    skipped,
  }
}

const NOTHING: PlanEstimate = Object.freeze({ rcu: 0, requests: 0, rounds: 0 })

function estimateOf({ items, rcu, blocked }: FetchSizes): PlanEstimate {
  return Object.freeze({ rcu, requests: items.length + blocked, rounds: 1 + blocked })
}

/** Items of a list that also pass the filter: facets of both keep the values that both allow. */
function narrowed(holds: Selection, residual: Selection): Selection {
  const both: Record<string, Selection[string]> = { ...holds }
  for (const [facet, values] of Object.entries(residual)) {
    const held = holds[facet]
    both[facet] = held === undefined ? values : held.filter((value) => values.includes(value))
  }
  return both
}
