import { once } from '../model/once.ts'
import type { Query } from '../model/query.ts'
import { type Actual, type Run, type SourceRequest, type SourceRun, sourceRequest } from './actual.ts'
import { type Beside, NOTHING, wholeActual, wholeEstimate, wholeText } from './beside.ts'
import type { EstimateBasis } from './estimates.ts'
import {
  type ColumnsNode,
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
import { columnsText, emptyText, filterText, orderText, slicedText } from './plan-text.ts'
import { HAVING_SHARE, LOW_HIT_RATE } from './price.ts'

/** One node of the tree: what it was expected to read, and what it read. */
export interface ExplainedNode {
  /** Below the root stand, behind the lists, `counts`, the `pageIndex`, and a `slice` that was given up. */
  readonly kind: 'source' | 'filter' | 'merge' | 'columns' | 'having' | 'limit' | 'empty' | Beside['kind']
  readonly text: string
  /** Says of an `empty` node why there is nothing to read, as data. */
  readonly reason?: EmptyReason
  /** Is the first Query of a `source` that was read. */
  readonly request?: SourceRequest
  readonly estimated: { readonly rcu: number; readonly items: number }
  /** Null before the plan was run. */
  readonly actual: NodeActual | null
  readonly inputs: readonly ExplainedNode[]
}

/** The cost of one node of a plan. */
export interface NodeActual {
  readonly rcu: number
  readonly requests: number
  /** Requests that waited for each other, of what is read beside the lists. */
  readonly rounds?: number
  readonly itemsRead: number
  readonly itemsReturned: number
  /** Items that were read and not returned: `itemsFilteredOut` and `itemsReadAhead` together. */
  readonly itemsDiscarded: number
  readonly itemsFilteredOut: number
  readonly itemsReadAhead: number
  readonly bytes: number
}

/** A plan with what running it took; the `plan` of the HTTP API. */
export interface ExplainedPlan {
  /** One line, which ends with what everything should cost. */
  readonly text: string
  readonly tree: ExplainedNode
  /** Everything that the request should read: lists, counts and page index. */
  readonly estimated: PlanEstimate
  /** The part of `estimated` that the lists take: by it the plan was chosen over those that were rejected. */
  readonly lists: PlanEstimate
  /** Everything that the request read. */
  readonly actual: Actual | null
  readonly rejected: readonly RejectedPlan[]
  /** The price of an extra round, in RCU: the plan of the least RCU and rounds, so priced, was chosen. */
  readonly roundPrice: number
  /** The list that each item of the page came from: its place among the tree's sources, from 0. Null before the plan was run. */
  readonly slots: readonly number[] | null
  /** Caps and budgets that were hit, lists that were left out, and warnings. */
  readonly limits: readonly string[]
  /** The same as data, in the same order. */
  readonly notes: readonly PlanNote[]
  /** The source of the estimates. */
  readonly basis: EstimateBasis
  /** The part of `actual` that counts took; 0 when they were read a moment ago, null without statistics. */
  readonly statisticsRcu: number | null
  /** The part of `actual` that the page index took, for the page's place or for the total; null where it was not asked. */
  readonly pageIndex: PageLookUp | null
}

/** The cost of asking a page index. */
export interface PageLookUp {
  readonly rcu: number
  readonly rounds: number
}

/** Facts that are told beside a plan of lists. */
interface ExplainedAlong {
  /** Reads beside the lists. */
  readonly besides?: readonly Beside[]
  /** Derived data that is not known, and why. */
  readonly unknown?: Omit<Extract<PlanNote, { kind: 'unknown' }>, 'kind'> | undefined
  /** Items that are read and passed over, and the way to do without. */
  readonly skip?: { readonly items: number; readonly instead: RejectedPlan } | undefined
}

/** Explains a plan as a tree of estimates beside actual figures; without an execution, of estimates alone. */
export function explainPlan(
  plan: Plan,
  execution?: Run,
  { besides = [], unknown, skip }: ExplainedAlong = {},
): ExplainedPlan {
  const sources = planSources(plan).map(({ source }) => source)
  const uncounted: readonly PlanNote[] = unknown === undefined ? [] : [{ kind: 'unknown', ...unknown }]
  const notes = [...plan.notes, ...seenNotes(plan, execution), ...uncounted]
  const text = skip === undefined ? plan.text : slicedText(plan.text, skip.items)
  // Every page has a plan and few callers look at its tree, so it is made for those. What it is made of holds no items.
  const told = execution && { sources: execution.sources, returned: execution.heads.length }
  const tree = once(() => wholeTree(explainRoot(plan, told), besides))
  return {
    text: wholeText({ text, estimated: plan.estimated }, besides),
    get tree() {
      return tree()
    },
    estimated: wholeEstimate(plan.estimated, besides),
    lists: plan.estimated,
    actual: execution === undefined ? null : wholeActual(execution.actual, besides),
    rejected: skip === undefined ? plan.rejected : [...plan.rejected, skip.instead],
    roundPrice: plan.roundPrice,
    slots:
      execution?.heads
        .slice(skip?.items ?? 0)
        .map(({ source }) => (source === undefined ? 0 : sources.indexOf(source))) ?? null,
    limits: notes.map(noteText),
    notes,
    basis: plan.basis,
    statisticsRcu: partOf(besides, 'counts')?.rcu ?? null,
    pageIndex: partOf(besides, 'pageIndex') ?? null,
  }
}

function partOf(besides: readonly Beside[], kind: Beside['kind']): PageLookUp | undefined {
  const actual = besides.find((beside) => beside.kind === kind)?.actual
  return actual && { rcu: actual.rcu, rounds: actual.rounds }
}

/** The tree of the lists, whose root is what the whole page takes: what is read beside the lists stands behind them. */
function wholeTree(root: ExplainedNode, besides: readonly Beside[]): ExplainedNode {
  if (besides.length === 0) return root
  const nodes = besides.map(besideNode)
  const sum = (of: (node: ExplainedNode) => number): number => nodes.reduce((total, node) => total + of(node), 0)
  const estimated = { ...root.estimated, rcu: root.estimated.rcu + sum((node) => node.estimated.rcu) }
  const actual = root.actual && {
    ...root.actual,
    rcu: root.actual.rcu + sum((node) => node.actual?.rcu ?? 0),
    requests: root.actual.requests + sum((node) => node.actual?.requests ?? 0),
  }
  return { ...root, estimated, actual, inputs: [...root.inputs, ...nodes] }
}

function besideNode({ kind, text, estimated: { rcu }, actual }: Beside): ExplainedNode {
  const told = actual && { ...NO_ITEMS, ...actual }
  return { kind, text, estimated: { rcu, items: 0 }, actual: told ?? null, inputs: [] }
}

const NO_ITEMS: NodeActual = {
  ...NOTHING,
  ...{ itemsRead: 0, itemsReturned: 0, itemsDiscarded: 0, itemsFilteredOut: 0, itemsReadAhead: 0, bytes: 0 },
}

/** Notes what only a run tells: how much was discarded, and what stopped it. */
function seenNotes({ query, root }: Plan, execution: Run | undefined): readonly PlanNote[] {
  if (execution === undefined) return []
  const { sources, stoppedBy, unreadable = [] } = execution
  const notes: PlanNote[] = []
  if (root.kind !== 'empty') {
    const { itemsRead, passed, withheld } = counted(sources)
    const { input } = root
    const leaves = input.kind === 'merge' ? input.inputs : input.kind === 'columns' ? [] : [input]
    // A plan that expected it has said so.
    const isUnexpected =
      leaves.length > 0 && leaves.every((leaf) => leaf.kind === 'filter' && leaf.hitRate >= LOW_HIT_RATE)
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

function counted(sources: readonly SourceRun[]): Pick<SourceRun, 'itemsRead' | 'passed' | 'withheld'> {
  const sum = (field: 'itemsRead' | 'passed' | 'withheld'): number =>
    sources.reduce((total, source) => total + source[field], 0)
  return { itemsRead: sum('itemsRead'), passed: sum('passed'), withheld: sum('withheld') }
}

/** The part of a run that the tree needs. */
interface Told {
  readonly sources: readonly SourceRun[]
  readonly returned: number
}

function explainRoot({ root, query, estimated }: Plan, told: Told | undefined): ExplainedNode {
  if (root.kind === 'empty') {
    return {
      kind: 'empty',
      text: emptyText(root.reason),
      reason: root.reason,
      estimated: { rcu: 0, items: 0 },
      actual: told ? summed([]) : null,
      inputs: [],
    }
  }
  const actuals = told?.sources
  const read = explainInput(root.input, actuals, { query, estimated })
  const input = query.having === undefined ? read : explainHaving(read, actuals)
  const returned = told?.returned
  return node(
    root,
    `LIMIT ${root.size} ${orderText(query)}`,
    { rcu: estimated.rcu, items: root.size },
    [input],
    returned,
  )
}

function explainHaving(input: ExplainedNode, actuals: readonly SourceRun[] | undefined): ExplainedNode {
  const { rcu, items } = input.estimated
  const estimated = { rcu, items: items * HAVING_SHARE }
  const text = 'HAVING, by a function of this process'
  if (actuals === undefined || input.actual === null)
    return { kind: 'having', text, estimated, actual: null, inputs: [input] }
  const { passed, withheld } = counted(actuals)
  const actual: NodeActual = {
    ...input.actual,
    ...{ itemsRead: passed, itemsReturned: passed - withheld },
    ...{ itemsDiscarded: withheld, itemsFilteredOut: withheld, itemsReadAhead: 0 },
  }
  return { kind: 'having', text, estimated, actual, inputs: [input] }
}

function explainInput(
  input: LimitNode['input'],
  actuals: readonly SourceRun[] | undefined,
  { query, estimated }: Pick<Plan, 'query' | 'estimated'>,
): ExplainedNode {
  if (input.kind === 'columns') return explainColumns(input, query, actuals?.[0])
  if (input.kind !== 'merge') return explainLeaf(input, actuals?.[0])
  const leaves = input.inputs.map((leaf, i) => explainLeaf(leaf, actuals?.[i]))
  const items = leaves.reduce((sum, leaf) => sum + leaf.estimated.items, 0)
  return node(input, `MERGE ${leaves.length} ${orderText(input)}`, { rcu: estimated.rcu, items }, leaves)
}

function explainColumns({ rcu, items }: ColumnsNode, query: Query, actual: SourceRun | undefined): ExplainedNode {
  return {
    kind: 'columns',
    text: columnsText(query),
    estimated: { rcu, items },
    actual: actual === undefined ? null : nodeActual(actual),
    inputs: [],
  }
}

function explainLeaf(leaf: SourceNode | FilterNode, actual: SourceRun | undefined): ExplainedNode {
  if (leaf.kind === 'source') return explainSource(leaf, actual)
  const source = explainSource(leaf.input, actual)
  return node(
    leaf,
    `FILTER ${filterText(leaf.residual, leaf.also)} (lets through ${Math.round(leaf.hitRate * 100)} %)`,
    { rcu: source.estimated.rcu, items: leaf.input.fetch * leaf.hitRate },
    [source],
  )
}

function explainSource(source: SourceNode, actual: SourceRun | undefined): ExplainedNode {
  return {
    kind: 'source',
    text: `${source.list.index ?? 'table'}[${source.list.label}]`,
    estimated: { rcu: source.rcu, items: source.fetch },
    actual: actual === undefined ? null : nodeActual(actual),
    inputs: [],
    ...(actual?.sent === undefined ? {} : { request: sourceRequest(actual.sent) }),
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

function nodeActual({ rcu, requests, itemsRead, itemsReturned, ahead, bytes }: SourceRun): NodeActual {
  return withParts({ rcu, requests, itemsRead, itemsReturned, bytes }, ahead)
}

function summed(parts: readonly NodeActual[], returned?: number): NodeActual {
  const sum = (field: 'rcu' | 'requests' | 'itemsRead' | 'itemsReturned' | 'itemsReadAhead' | 'bytes'): number =>
    parts.reduce((total, part) => total + part[field], 0)
  const totals = { rcu: sum('rcu'), requests: sum('requests'), itemsRead: sum('itemsRead'), bytes: sum('bytes') }
  return withParts({ ...totals, itemsReturned: returned ?? sum('itemsReturned') }, sum('itemsReadAhead'))
}

/** Tells apart what became of the items that were not returned. */
function withParts(
  {
    rcu,
    requests,
    itemsRead,
    itemsReturned,
    bytes,
  }: Pick<NodeActual, 'rcu' | 'requests' | 'itemsRead' | 'itemsReturned' | 'bytes'>,
  itemsReadAhead: number,
): NodeActual {
  const itemsDiscarded = itemsRead - itemsReturned
  const itemsFilteredOut = itemsDiscarded - itemsReadAhead
  return { rcu, requests, itemsRead, itemsReturned, itemsDiscarded, itemsFilteredOut, itemsReadAhead, bytes }
}
