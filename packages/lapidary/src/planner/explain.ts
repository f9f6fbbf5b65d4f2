import type { Actual, Run, SourceActual } from './actual.ts'
import type { EstimateBasis } from './estimates.ts'
import {
  type EmptyReason,
  type FilterNode,
  type LimitNode,
  type MergeNode,
  type Plan,
  type PlanEstimate,
  planSources,
  type RejectedPlan,
  type SourceNode,
} from './plan.ts'
import { noteText, type PlanNote } from './plan-note.ts'
import { emptyText, filterText, orderText } from './plan-text.ts'
import { HAVING_SHARE, LOW_HIT_RATE } from './price.ts'

/** What one node of the tree was expected to read, and what it read. Null before the plan was run. */
export interface ExplainedNode {
  readonly kind: 'source' | 'filter' | 'merge' | 'having' | 'limit' | 'empty'
  readonly text: string
  /** Of an `empty` node: why there is nothing to read, as data. */
  readonly reason?: EmptyReason
  readonly estimated: { readonly rcu: number; readonly items: number }
  readonly actual: NodeActual | null
  readonly inputs: readonly ExplainedNode[]
}

/** What reading one node of a plan took. */
export interface NodeActual {
  readonly rcu: number
  readonly requests: number
  readonly itemsRead: number
  readonly itemsReturned: number
  readonly itemsDiscarded: number
  readonly bytes: number
}

/** A plan with what running it took; the `plan` of the HTTP API. */
export interface ExplainedPlan {
  readonly text: string
  readonly tree: ExplainedNode
  readonly estimated: PlanEstimate
  readonly actual: Actual | null
  readonly rejected: readonly RejectedPlan[]
  /** What an extra round is worth, in RCU: the plan of the least RCU and rounds, so priced, was chosen. */
  readonly roundPrice: number
  /** Of each item of the page, the list that it came from: its place among the tree's sources, from 0. Null before the plan was run. */
  readonly slots: readonly number[] | null
  /** Caps and budgets that were hit, lists that were left out, and warnings. */
  readonly limits: readonly string[]
  /** The same as data, in the same order. */
  readonly notes: readonly PlanNote[]
  /** Where the estimates come from. */
  readonly basis: EstimateBasis
  /** RCU of reading the scope's counts for estimates and totals, beside `actual`; 0 when they were read a moment ago, null without statistics. */
  readonly statisticsRcu: number | null
  /** What it took to ask the page index for the page's place, before `actual`, or beside it for the total; null where it was not asked. */
  readonly pageIndex: PageLookUp | null
}

/** What asking a page index took. */
export interface PageLookUp {
  readonly rcu: number
  readonly rounds: number
}

/** What is told beside a plan. */
interface ExplainedAlong extends Partial<Pick<ExplainedPlan, 'statisticsRcu' | 'pageIndex'>> {
  /** What is derived and not known, and why. */
  readonly unknown?: Omit<Extract<PlanNote, { kind: 'unknown' }>, 'kind'> | undefined
  /** Items that are read and passed over, and the way to do without. */
  readonly skip?: { readonly items: number; readonly instead: RejectedPlan } | undefined
}

/** The plan as a tree of estimates beside actual figures; without an execution, of estimates alone. */
export function explainPlan(
  plan: Plan,
  execution?: Run,
  { statisticsRcu, pageIndex, unknown, skip }: ExplainedAlong = {},
): ExplainedPlan {
  const sources = planSources(plan).map(({ source }) => source)
  const uncounted: readonly PlanNote[] = unknown === undefined ? [] : [{ kind: 'unknown', ...unknown }]
  const notes = [...plan.notes, ...seenNotes(plan, execution), ...uncounted]
  return {
    text: skip === undefined ? plan.text : plan.text.replace(' -- ', ` LESS THE FIRST ${skip.items} -- `),
    tree: explainRoot(plan, execution),
    estimated: plan.estimated,
    actual: execution?.actual ?? null,
    rejected: skip === undefined ? plan.rejected : [...plan.rejected, skip.instead],
    roundPrice: plan.roundPrice,
    slots: execution?.heads.slice(skip?.items ?? 0).map(({ source }) => sources.indexOf(source)) ?? null,
    limits: notes.map(noteText),
    notes,
    basis: plan.basis,
    statisticsRcu: statisticsRcu ?? null,
    pageIndex: pageIndex ?? null,
  }
}

/** What only running it tells: how much was discarded, and what stopped it. */
function seenNotes({ query, root }: Plan, execution: Run | undefined): readonly PlanNote[] {
  if (execution === undefined) return []
  const { sources, stoppedBy, unreadable = [] } = execution
  const notes: PlanNote[] = []
  if (root.kind !== 'empty') {
    const { itemsRead, passed, withheld } = counted(sources)
    const { input } = root
    const leaves = input.kind === 'merge' ? input.inputs : [input]
    // A plan that expected it has said so.
    const isUnexpected = leaves.every((leaf) => leaf.kind === 'filter' && leaf.hitRate >= LOW_HIT_RATE)
    const share = passed / itemsRead
    if (isUnexpected && itemsRead > query.limit && share < LOW_HIT_RATE) {
      notes.push({ kind: 'filtered', share, items: itemsRead })
    }
    const judged = (passed - withheld) / passed
    if (query.having !== undefined && judged < LOW_HIT_RATE)
      notes.push({ kind: 'having', share: judged, items: passed })
  }
  notes.push(...unreadable.map((item) => ({ kind: 'unreadable', ...item }) as const))
  if (stoppedBy !== undefined) notes.push({ kind: 'stopped', by: stoppedBy })
  return notes
}

function counted(sources: readonly SourceActual[]): Pick<SourceActual, 'itemsRead' | 'passed' | 'withheld'> {
  const sum = (field: 'itemsRead' | 'passed' | 'withheld'): number =>
    sources.reduce((total, source) => total + source[field], 0)
  return { itemsRead: sum('itemsRead'), passed: sum('passed'), withheld: sum('withheld') }
}

function explainRoot({ root, query, estimated }: Plan, execution: Run | undefined): ExplainedNode {
  if (root.kind === 'empty') {
    return {
      kind: 'empty',
      text: emptyText(root.reason),
      reason: root.reason,
      estimated: { rcu: 0, items: 0 },
      actual: execution ? summed([]) : null,
      inputs: [],
    }
  }
  const actuals = execution?.sources
  const read = explainInput(root.input, actuals, estimated)
  const input = query.having === undefined ? read : explainHaving(read, actuals)
  const returned = execution?.heads.length
  return node(
    root,
    `LIMIT ${root.size} ${orderText(query)}`,
    { rcu: estimated.rcu, items: root.size },
    [input],
    returned,
  )
}

function explainHaving(input: ExplainedNode, actuals: readonly SourceActual[] | undefined): ExplainedNode {
  const { rcu, items } = input.estimated
  const estimated = { rcu, items: items * HAVING_SHARE }
  const text = 'HAVING, by a function of this process'
  if (actuals === undefined || input.actual === null)
    return { kind: 'having', text, estimated, actual: null, inputs: [input] }
  const { passed, withheld } = counted(actuals)
  const actual = { ...input.actual, itemsRead: passed, itemsReturned: passed - withheld, itemsDiscarded: withheld }
  return { kind: 'having', text, estimated, actual, inputs: [input] }
}

function explainInput(
  input: LimitNode['input'],
  actuals: readonly SourceActual[] | undefined,
  estimated: PlanEstimate,
): ExplainedNode {
  if (input.kind !== 'merge') return explainLeaf(input, actuals?.[0])
  const leaves = input.inputs.map((leaf, i) => explainLeaf(leaf, actuals?.[i]))
  const items = leaves.reduce((sum, leaf) => sum + leaf.estimated.items, 0)
  return node(input, `MERGE ${leaves.length} ${orderText(input)}`, { rcu: estimated.rcu, items }, leaves)
}

function explainLeaf(leaf: SourceNode | FilterNode, actual: SourceActual | undefined): ExplainedNode {
  if (leaf.kind === 'source') return explainSource(leaf, actual)
  const source = explainSource(leaf.input, actual)
  return node(
    leaf,
    `FILTER ${filterText(leaf.residual)} (lets through ${Math.round(leaf.hitRate * 100)} %)`,
    { rcu: source.estimated.rcu, items: leaf.input.fetch * leaf.hitRate },
    [source],
  )
}

function explainSource(source: SourceNode, actual: SourceActual | undefined): ExplainedNode {
  return {
    kind: 'source',
    text: `${source.list.index ?? 'table'}[${source.list.label}]`,
    estimated: { rcu: source.rcu, items: source.fetch },
    actual: actual === undefined ? null : nodeActual(actual),
    inputs: [],
  }
}

function node(
  { kind }: LimitNode | MergeNode | FilterNode,
  text: string,
  estimated: ExplainedNode['estimated'],
  inputs: readonly ExplainedNode[],
  returned?: number,
): ExplainedNode {
  const below = inputs.map(({ actual }) => actual).filter((actual) => actual !== null)
  const actual = below.length === 0 ? null : summed(below, returned)
  return { kind, text, estimated, actual, inputs }
}

function nodeActual({ passed: _, withheld: __, ...actual }: SourceActual): NodeActual {
  return { ...actual, itemsDiscarded: actual.itemsRead - actual.itemsReturned }
}

function summed(parts: readonly NodeActual[], returned?: number): NodeActual {
  const sum = (field: keyof NodeActual): number => parts.reduce((total, part) => total + part[field], 0)
  const itemsRead = sum('itemsRead')
  const itemsReturned = returned ?? sum('itemsReturned')
  return {
    rcu: sum('rcu'),
    requests: sum('requests'),
    itemsRead,
    itemsReturned,
    itemsDiscarded: itemsRead - itemsReturned,
    bytes: sum('bytes'),
  }
}
