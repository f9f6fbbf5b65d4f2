import type { AccessPath, List } from '../layouts/layout.ts'
import { type Condition, isAlways, isNever } from '../model/condition.ts'
import { conditionWithin } from '../model/condition-within.ts'
import { ownValue } from '../model/own-value.ts'
import { type Filter, knownSelection, type Query, type Selection } from '../model/query.ts'
import { conditionShare, RANGE_SHARE } from './condition-share.ts'
import { readPrice } from './entry-size.ts'
import { type Estimates, estimatesOf, type RecentGiving } from './estimates.ts'
import { fetchSizes, type SourceShare } from './fetch-sizes.ts'
import { localSources } from './local-shares.ts'
import type { FilterNode, LimitNode, PlanEstimate, SourceNode } from './plan.ts'
import { planText } from './plan-text.ts'

/** A way to answer with what its lists hold as a whole: the same for each page of a query, wherever it begins. */
export interface WeighedPath {
  readonly lists: readonly List[]
  /** One for each of them. */
  readonly sources: readonly SourceShare[]
  /** Items of each of them, where statistics know. */
  readonly counts: readonly (number | undefined)[]
  readonly residual: Filter
  /** What the items of each list have to meet beside it; undefined where the list says that they do. */
  readonly also: readonly (Condition | undefined)[]
}

/** A way to answer with its price. Lower score is better; equal scores go to fewer requests, then to the text. */
export interface PricedPath {
  readonly path: WeighedPath
  /** As they are where the page begins. */
  readonly sources: readonly SourceShare[]
  /** Items to read from each in the first round. */
  readonly items: readonly number[]
  readonly text: string
  readonly estimated: PlanEstimate
  readonly score: number
  readonly hitRate: number
}

/** A filter may keep something back whatever the estimates say; 1 stands for no filter, and is never corrected by what was seen. */
const MOST_HIT_RATE = 0.999

/** @param asked What items have to meet beside the path's filter. A list of which no item can is left out. */
export function weighPath(path: AccessPath, estimates: Estimates, asked?: Condition): WeighedPath {
  const { residual } = path
  const { lists, also } = asked === undefined ? { lists: path.lists, also: [] } : listsThatMeet(path.lists, asked)
  const known = knownSelection(residual, (facet) => estimates.seen(facet))
  const unknown = RANGE_SHARE ** (Object.keys(residual).length - Object.keys(known).length)
  const counts = lists.map((list) =>
    list.part === undefined ? estimatesOf(list, estimates).count(list.holds) : undefined,
  )
  const sources = lists.map((list, i): SourceShare => {
    const { part = 1 } = list
    const { share, trust } = estimatesOf(list, estimates)
    const held = part * share(list.holds)
    const met = also[i] === undefined ? 1 : conditionShare(also[i], estimatesOf(list, estimates))
    const answered = part * unknown * met * share(narrowed(list.holds, known))
    return {
      share: answered,
      hitRate: isFiltered(residual, also[i]) ? Math.min(MOST_HIT_RATE, held === 0 ? 1 : answered / held) : 1,
      trust,
      size: estimates.size(list),
      ahead: 0,
      buffered: 0,
      // A range of the order holds less of a list, and never more.
      remaining: counts[i],
    }
  })
  return { lists, sources, counts, residual, also }
}

/** Returns the lists that may hold items that meet a condition, with what is left of it for each. */
function listsThatMeet(lists: readonly List[], asked: Condition): Pick<WeighedPath, 'lists' | 'also'> {
  const each = lists.map((list) => ({ list, left: conditionWithin(asked, list.holds) }))
  const read = each.filter(({ left }) => !isNever(left))
  return { lists: read.map(({ list }) => list), also: read.map(({ left }) => (isAlways(left) ? undefined : left)) }
}

/**
 * Prices one way to answer a query: expected capacity, plus a set price for each expected extra round.
 *
 * @param recent What the path's lists gave lately, near where the page begins.
 */
export function pricePath(
  path: WeighedPath,
  query: Query,
  roundPrice: number,
  recent: readonly (RecentGiving | undefined)[] = path.lists.map(() => undefined),
): PricedPath {
  const sources = localSources(path.sources, recent, query.limit)
  const { items, rcu, blocked } = fetchSizes(judged(sources, query), query.limit, roundPrice)
  const estimated = Object.freeze({ rcu, requests: items.length + blocked, rounds: 1 + blocked })
  return {
    path,
    sources,
    items,
    text: path.lists.length === 0 ? '' : planText(path, query, estimated),
    estimated,
    score: rcu + roundPrice * blocked,
    hitRate: sources.reduce((sum, { share, hitRate }) => sum + share * hitRate, 0),
  }
}

/** Below this share of hits a filter is reported: most of what it reads is thrown away. */
export const LOW_HIT_RATE = 0.3

/** The share of items that a function of the caller is taken to let through, until it has judged some. */
export const HAVING_SHARE = 0.5

/** Sources of which less comes to the page than their filters let through. */
function judged(sources: readonly SourceShare[], { having }: Query): readonly SourceShare[] {
  return having === undefined
    ? sources
    : sources.map((source) => ({ ...source, hitRate: source.hitRate * HAVING_SHARE, ahead: 0 }))
}

/** The tree of a way to answer; undefined where there is no list that could hold any of it. */
export function rootOf({ path, sources, items }: PricedPath, query: Query): LimitNode | undefined {
  const leaves = path.lists.map((list, i): SourceNode | FilterNode => {
    const fetch = items[i] ?? 0
    const { share, size, hitRate } = sources[i] as SourceShare
    const count = path.counts[i]
    const rcu = readPrice(Math.min(fetch, count ?? fetch), size)
    const source: SourceNode = Object.freeze({ kind: 'source', list, fetch, share, count, size, rcu })
    const also = path.also[i]
    if (!isFiltered(path.residual, also)) return source
    const beside = also === undefined ? {} : { also }
    return Object.freeze({ kind: 'filter', residual: path.residual, ...beside, hitRate, input: source })
  })
  const [first] = leaves
  if (first === undefined) return undefined
  const inOrder = query.by === undefined ? {} : { by: query.by }
  const input =
    leaves.length === 1
      ? first
      : Object.freeze({ kind: 'merge' as const, ...inOrder, order: query.order, inputs: Object.freeze(leaves) })
  return Object.freeze({ kind: 'limit', size: query.limit, input })
}

/** Whether a single list gives the answer as it is, so that no page has another mix of lists. */
export function isOneList({ lists, residual, also }: Pick<WeighedPath, 'lists' | 'residual' | 'also'>): boolean {
  return lists.length === 1 && !isFiltered(residual, also[0])
}

function isFiltered(residual: Filter, also: Condition | undefined): boolean {
  return also !== undefined || Object.keys(residual).length > 0
}

/** Items of a list that also pass the filter: facets of both keep the values that both allow. */
export function narrowed(holds: Selection, residual: Selection): Selection {
  const both: Record<string, Selection[string]> = { ...holds }
  for (const [facet, values] of Object.entries(residual)) {
    const held = ownValue(holds, facet)
    both[facet] = held === undefined ? values : held.filter((value) => values.includes(value))
  }
  return both
}
