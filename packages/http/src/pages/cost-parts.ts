import type { ExplainedNode } from 'lapidary'
import { sourcesOf } from './plan-rows.ts'

/** A part of what a page takes: a step of its plan that reads, or something that is read beside it. */
export interface CostPart {
  readonly kind: ExplainedNode['kind'] | 'beside'
  /** The place of a list among the lists of the plan, from 0; absent where there is but one. */
  readonly list?: number
  /** The name of what is read beside the page. */
  readonly name?: string
  /** Undefined where nothing was expected. */
  readonly expected: number | undefined
  /** Null before the plan was run. */
  readonly rcu: number | null
}

/** Returns the steps of a plan that read. Together they took what the plan did: its other steps read nothing themselves. */
export function costParts(tree: ExplainedNode): readonly CostPart[] {
  const lists = sourcesOf(tree)
  return leavesOf(tree).map((node) => ({
    kind: node.kind,
    ...(node.kind === 'source' && lists.length > 1 ? { list: lists.indexOf(node) } : {}),
    expected: node.estimated.rcu,
    rcu: node.actual?.rcu ?? null,
  }))
}

function leavesOf(node: ExplainedNode): readonly ExplainedNode[] {
  return node.inputs.length === 0 ? [node] : node.inputs.flatMap(leavesOf)
}

/** Returns the step that took the most, where there are several. */
export function costliestOf(tree: ExplainedNode): ExplainedNode | undefined {
  const [first, second] = leavesOf(tree).toSorted((a, b) => (b.actual?.rcu ?? 0) - (a.actual?.rcu ?? 0))
  return (first?.actual?.rcu ?? 0) > (second?.actual?.rcu ?? Number.POSITIVE_INFINITY) ? first : undefined
}

/** DynamoDB's price of reading, on demand. */
export interface ReadPrice {
  readonly onDemand: { readonly millionReadUnits: number }
}

/** Returns what a million pages cost in dollars that take as many RCU each. */
export function millionPages(rcu: number, { onDemand }: ReadPrice): number {
  return rcu * onDemand.millionReadUnits
}
