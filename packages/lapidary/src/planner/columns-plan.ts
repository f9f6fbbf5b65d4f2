import { askedOf, knownSelection, type Query } from '../model/query.ts'
import { conditionShare, RANGE_SHARE } from './condition-share.ts'
import { BLOCK_BYTES, BLOCK_RCU } from './entry-size.ts'
import type { Estimates } from './estimates.ts'
import { ROUND_PRICE_RCU } from './fetch-sizes.ts'
import type { ColumnsNode, Plan, PlanEstimate, RejectedPlan } from './plan.ts'
import { columnsText, pricedText } from './plan-text.ts'

/** What columns weigh, as far as a process knows. */
export interface ColumnWeights {
  /** Rows of a block. */
  readonly blockRows: number
  /** Bytes of a block beside its columns. */
  readonly headBytes: number
  /** Chunks of places in a block. */
  readonly chunks: number
  /** Bytes of a facet's column for one row. */
  readonly bytesOf: (facet: string) => number
  /** The share of items that meet the condition, where columns were seen; by the estimates when not given. */
  readonly share?: number
  /** How many chunks of places an item that is found takes; one when not given. */
  readonly chunksEach?: number
}

/** A way to answer by columns. */
export interface ColumnsWay {
  readonly node: ColumnsNode
  readonly text: string
  readonly estimated: PlanEstimate
}

/** Columns, the places of what is found, and the items themselves wait for each other. */
const ROUNDS = 3
/** Entries of a scope of which nothing is known, and blocks that are read of one at first. */
const UNKNOWN_ENTRIES = 10_000
const FIRST_BLOCKS = 4
/** Standard deviations by which the first read is longer than a page should take: the bench `columns-simulated` tells what others cost. */
const MARGIN = 1

/**
 * Prices the way by columns: those of the facets that are asked for, places, and a read for each item.
 *
 * @param facets The facets that the query asks about.
 */
export function columnsWay(
  query: Query,
  facets: readonly string[],
  estimates: Estimates,
  weights: ColumnWeights,
): ColumnsWay {
  const entries = estimates.count({})
  const { share = shareOf(query, estimates) } = weights
  const isKnown = weights.share !== undefined || entries !== undefined
  const wanted = query.limit + 1 + MARGIN * Math.sqrt(query.limit)
  const needed = share === 0 ? Number.POSITIVE_INFINITY : wanted / share
  const rows = Math.min(needed, entries ?? UNKNOWN_ENTRIES)
  const inBlocks = Math.max(1, Math.ceil(rows / weights.blockRows))
  const blocks = isKnown ? inBlocks : Math.min(FIRST_BLOCKS, inBlocks)
  const read = entries === undefined ? blocks * weights.blockRows : Math.min(entries, blocks * weights.blockRows)
  const found = Math.min(query.limit, share * read)
  const { chunksEach = 1 } = weights
  const places = Math.min(found * chunksEach, Math.ceil(read / weights.blockRows) * weights.chunks)
  const rcu = columnsRcu(read, facets, weights) + (places + found) * BLOCK_RCU
  const estimated = Object.freeze({ rcu, requests: 2 + facets.length + places, rounds: ROUNDS })
  const node: ColumnsNode = Object.freeze({ kind: 'columns', blocks, items: found, rcu })
  return { node, text: pricedText(columnsText(query), estimated), estimated }
}

/** The price of finding an item by its rank: all columns are read that the query names, and one place. */
export function columnsRankPrice(
  facets: readonly string[],
  estimates: Estimates,
  weights: ColumnWeights,
): PlanEstimate {
  const rcu = columnsRcu(estimates.count({}) ?? UNKNOWN_ENTRIES, facets, weights) + BLOCK_RCU
  return { rcu, requests: 2 + facets.length, rounds: 2 }
}

/** RCU of the columns of so many rows, and of the blocks' own nodes. */
function columnsRcu(rows: number, facets: readonly string[], { blockRows, headBytes, bytesOf }: ColumnWeights): number {
  const heads = unitsOf((rows / blockRows) * headBytes)
  return facets.reduce((sum, facet) => sum + unitsOf(rows * bytesOf(facet)), heads)
}

function shareOf(query: Query, estimates: Estimates): number {
  const filter = askedOf(query)
  const known = knownSelection(filter, (facet) => estimates.seen(facet))
  const unknown = Object.keys(filter).length - Object.keys(known).length
  const also = query.also === undefined ? 1 : conditionShare(query.also, estimates)
  return estimates.share(known) * RANGE_SHARE ** unknown * also
}

function unitsOf(bytes: number): number {
  return BLOCK_RCU * Math.max(1, Math.ceil(bytes / BLOCK_BYTES))
}

/** The cheaper one of a plan of lists and a way by columns; the other one is among those that are rejected. */
export function withColumns(plan: Plan, { node, text, estimated }: ColumnsWay): Plan {
  if (plan.root.kind === 'empty') return plan
  const priceOf = ({ rcu, rounds }: PlanEstimate): number => rcu + plan.roundPrice * (rounds - 1)
  const more = priceOf(estimated) - priceOf(plan.estimated)
  if (more >= 0) return Object.freeze({ ...plan, rejected: [...plan.rejected, rejection(text, estimated, more)] })
  const lists = rejection(plan.text, plan.estimated, -more)
  const root = Object.freeze({ kind: 'limit', size: plan.query.limit, input: node } as const)
  return Object.freeze({
    ...{ ...plan, root, text, estimated },
    rejected: [lists, ...plan.rejected],
    notes: plan.notes.filter(({ kind }) => kind !== 'filter'),
  })
}

/** The plan of a query that no index can answer. */
export function columnsPlan(
  query: Query,
  { node, text, estimated }: ColumnsWay,
  { basis, trust }: Pick<Estimates, 'basis' | 'trust'>,
  rejected: readonly RejectedPlan[] = [],
): Plan {
  const root = Object.freeze({ kind: 'limit', size: query.limit, input: node } as const)
  return Object.freeze({
    ...({ kind: 'plan', query, root, text, estimated } as const),
    ...{ basis, trust, roundPrice: ROUND_PRICE_RCU, rejected, notes: [] },
  })
}

/** A plan beside which columns can't be used now, and why; the plan itself where there is no reason. */
export function withoutColumns(plan: Plan, reason: string | undefined): Plan {
  if (reason === undefined) return plan
  const refused: RejectedPlan = { text: 'COLUMNS', rcu: null, rounds: null, reason }
  return Object.freeze({ ...plan, rejected: [...plan.rejected, refused] })
}

/** A plan beside which columns may take more than a cap allows. */
export function withDearColumns(plan: Plan, { text, estimated: { rcu, rounds } }: ColumnsWay): Plan {
  const reason = 'should take more than half of what is allowed, and tells what it takes only once it is read'
  return Object.freeze({ ...plan, rejected: [...plan.rejected, { text, rcu, rounds, reason }] })
}

function rejection(text: string, { rcu, rounds }: PlanEstimate, more: number): RejectedPlan {
  return { text, rcu, rounds, reason: `costs ${more.toFixed(2)} RCU more, extra rounds priced in` }
}
