import type { List } from '../layouts/layout.ts'
import type { Refusal } from '../layouts/refusal.ts'
import type { Condition } from '../model/condition.ts'
import type { Filter, ListOrder, Query } from '../model/query.ts'
import type { EntrySize } from './entry-size.ts'
import type { EstimateBasis } from './estimates.ts'
import type { PlanNote } from './plan-note.ts'

/** The expected cost of a plan or of one of its nodes. */
export interface PlanEstimate {
  readonly rcu: number
  readonly requests: number
  readonly rounds: number
}

/** One list being read. */
export interface SourceNode {
  readonly kind: 'source'
  readonly list: List
  /** Items to read in the first round. */
  readonly fetch: number
  /** Share of the answer that comes from it, 0 to 1. */
  readonly share: number
  /** Items in the list, where statistics know. */
  readonly count: number | undefined
  /** The weight of its entries, by which it is sized and priced in every round. */
  readonly size: EntrySize
  /** The expected cost of the first round. */
  readonly rcu: number
}

/** Discards what a list holds too much after the read, at the read's full price. */
export interface FilterNode {
  readonly kind: 'filter'
  readonly residual: Filter
  /** What items have to meet beside it, as far as the list does not say that they do. */
  readonly also?: Condition
  /** Share of the items that it lets through, 0 to 1. */
  readonly hitRate: number
  readonly input: SourceNode
}

/** Sorted inputs become one sorted list. */
export interface MergeNode {
  readonly kind: 'merge'
  /** The name of the order; undefined for the default one. */
  readonly by?: string
  readonly order: ListOrder
  readonly inputs: readonly (SourceNode | FilterNode)[]
}

/** Finds items by the columns of their facets, and reads them by their keys. */
export interface ColumnsNode {
  readonly kind: 'columns'
  /** Blocks whose columns are read at first. */
  readonly blocks: number
  /** Items that it should find. */
  readonly items: number
  readonly rcu: number
}

/** The first `size` items. */
export interface LimitNode {
  readonly kind: 'limit'
  readonly size: number
  readonly input: SourceNode | FilterNode | MergeNode | ColumnsNode
}

/** Why there is nothing to read: no item can match, or the page index has none in any list. */
export type EmptyReason = 'unmatched' | 'indexed'

/** Nothing to read, and why. */
export interface EmptyNode {
  readonly kind: 'empty'
  readonly reason: EmptyReason
}

export type PlanNode = SourceNode | FilterNode | MergeNode | ColumnsNode | LimitNode | EmptyNode

/** A plan that was not taken; `rcu` is null where an index could not answer at all. */
export interface RejectedPlan {
  readonly text: string
  readonly rcu: number | null
  /** Expected; null where `rcu` is. */
  readonly rounds: number | null
  readonly reason: string
  /** The reason as data, where `rcu` is null. */
  readonly refusal?: Refusal
}

/** Frozen, printable data: which lists, which residual filter, what it should cost. Printing it runs nothing. */
export interface Plan {
  readonly kind: 'plan'
  readonly query: Query
  readonly root: LimitNode | EmptyNode
  /** One line, the same for the same query and estimates. */
  readonly text: string
  readonly estimated: PlanEstimate
  readonly basis: EstimateBasis
  /** The price of an extra round, in RCU, here and in every round of running it. */
  readonly roundPrice: number
  /** How many items' worth the shares are known from; what a page itself shows is weighed against it. */
  readonly trust: number
  readonly rejected: readonly RejectedPlan[]
  /** Caps that were hit, lists that are left out, and warnings. */
  readonly notes: readonly PlanNote[]
}

/** A list of a plan, and its filter. */
export interface PlanSource {
  readonly source: SourceNode
  readonly residual: Filter
  readonly also: Condition | undefined
  readonly hitRate: number
}

/** The sources of a plan, in the order of its inputs, each with its filter; none of a plan by columns. */
export function planSources(plan: Plan): readonly PlanSource[] {
  if (plan.root.kind === 'empty') return []
  const { input } = plan.root
  if (input.kind === 'columns') return []
  const leaves = input.kind === 'merge' ? input.inputs : [input]
  return leaves.map((leaf) =>
    leaf.kind === 'filter'
      ? { source: leaf.input, residual: leaf.residual, also: leaf.also, hitRate: leaf.hitRate }
      : { source: leaf, residual: {}, also: undefined, hitRate: 1 },
  )
}
