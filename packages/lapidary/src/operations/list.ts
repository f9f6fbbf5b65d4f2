import { boundBeyond, type CursorPoint, type Direction, isAscending } from '../cursor/cursor.ts'
import { isCounted } from '../derived/counts/counts-shape.ts'
import { type ExecuteOptions, type Execution, execute } from '../executor/execute.ts'
import { refusalText } from '../layouts/refusal.ts'
import { LapidaryError } from '../model/errors.ts'
import { livenessOf } from '../model/expiry.ts'
import { type Bound, boundPast } from '../model/position.ts'
import { isWhole, knownSelection, parseQuery, type Query, type QueryInput } from '../model/query.ts'
import { declaredEstimates, type Estimates, type RecentLists } from '../planner/estimates.ts'
import type { SourceObservation } from '../planner/experience.ts'
import { type ExplainedPlan, explainPlan } from '../planner/explain.ts'
import { type Plan, planSources, type RejectedPlan } from '../planner/plan.ts'
import { emptyPlan, planQuery } from '../planner/plan-query.ts'
import { ALL_USABLE, type UnusableIndexes } from '../schema/index-states.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { type AttributesOption, chosenAttributes } from './chosen-attributes.ts'
import type { IndexedTotal, ReadContext } from './context.ts'
import { countedBy, facetCounts } from './count.ts'
import { HAVING_BYTES, type Having, judgeOf, requireHaving } from './having.ts'
import { experienceOf, pageEstimates, placeOf, sizeClassesOf } from './page-estimates.ts'
import { numberAt, offsetOf } from './page-offset.ts'
import { knownEstimates, readCounts } from './query-counts.ts'
import type { StatisticsReading } from './statistics.ts'

/** How one page is read. */
export interface ListOptions extends AttributesOption {
  /** Where to go on, from the `cursors` of another page of the same query; null is the first page. */
  readonly cursor?: string | null | undefined
  /**
   * The most RCU to spend on items: a page that would take more comes back short and says `maxCapacity` in `plan.limits`. The last
   * round may exceed it by one item of each list, and by 128 RCU of each list whose items are not counted yet.
   */
  readonly maxCapacity?: number
  /**
   * The last resort: judges each item that was read, in this process, where no facet says it. What it does not let through is paid for all
   * the same. A page comes back full unless the data ends or `maxBytes` are read; totals are not known. A cursor does not know it, so go
   * on with the same.
   */
  readonly having?: Having | undefined
  /** With `having`, the most bytes to read for a page: one that would take more comes back short and says `maxBytes` in `plan.limits`; 1 MB when not given. */
  readonly maxBytes?: number | undefined
  /** Whether totals and counts of facets come with it, which takes a read of the scope's counts; they do when not given. */
  readonly counts?: boolean
  /** Stops the read: what is certain by then comes back, without counts that are still awaited, and `plan.limits` says `aborted`. */
  readonly signal?: AbortSignal
}

/** One page of a list. */
export interface Page<I> {
  readonly items: readonly I[]
  readonly page: {
    /** From 1; null when the page was reached by cursor. */
    readonly number: number | null
    /**
     * Of a page that was reached by cursor, the number that it has by counting on from the page where the cursors began: what came or went
     * before it since is not in it. Null where that is not known, where the page is no whole number of pages on, and of a page by number.
     */
    readonly about: number | null
    /** Pages of the whole filter; null where they are not counted, see `total`. */
    readonly count: number | null
    /** Items of the whole filter; null without statistics and for a range that goes beyond the page. */
    readonly total: number | null
    readonly size: number
  }
  readonly cursors: {
    /** Null exactly at the end. */
    readonly next: string | null
    /** Null exactly at the start. */
    readonly previous: string | null
  }
  /**
   * Counts for each value of each facet that are known: of no facet that is declared with `counted: false`, and where such a one narrows, or
   * several values of an `eachOf` facet do, of none but the latter itself. Null without statistics, for a range, and where none are known.
   */
  readonly facets: Readonly<Record<string, Readonly<Record<string, number>>>> | null
  /**
   * Up to when `facets` are counted, or, where that is earlier, up to when the page index is that a page was found by; null where neither is
   * known.
   */
  readonly asOf: string | null
  /** How the page was found and what that took. */
  readonly plan: ExplainedPlan
}

/** Plans a query without running it. */
export async function planList(context: ReadContext, input: QueryInput): Promise<Plan> {
  const query = parseQuery(context.collection, input)
  const [unusable] = await Promise.all([context.states.unusable(), readCounts(context, query)])
  return planKnown(context, query, recentAt(context, query, undefined), unusable, undefined)
}

/** Reads one page: plan, run, translate. */
export async function listPage<I>(
  context: ReadContext<I>,
  input: QueryInput,
  options: ListOptions = {},
): Promise<Page<I>> {
  const { collection, cursors } = context
  const { cursor, having } = options
  requireHaving(options)
  const asked = parseQuery(collection, input)
  const query: Query = having === undefined ? asked : Object.freeze({ ...asked, having: true })
  const reading = having === undefined ? options : { maxBytes: HAVING_BYTES, ...options, counts: false }
  if (cursor === undefined || cursor === null) return readFirstPage(context, query, reading)
  return readPage(context, query, { point: cursors.decode(collection, query, cursor), number: null }, reading)
}

/** Reads the first page; what the counts can't say of its total, the page index does where that is cheap. */
export function readFirstPage<I>(context: ReadContext<I>, query: Query, options: ReadOptions): Promise<Page<I>> {
  const asked = options.counts === false ? undefined : context.askLackingTotal?.(context, query)
  return readPage(context, query, { point: undefined, number: 1, asked }, options)
}

/** What page `number` would be read by, where nothing is known of its place. */
export async function planPage(context: ReadContext, query: Query, options: ListOptions): Promise<Plan> {
  const unusable = (await untilAborted(context.states.unusable(), options.signal)) ?? ALL_USABLE
  return planKnown(context, query, recentAt(context, query, undefined), unusable, options.signal)
}

/** How a page is read whose place is known. */
export type ReadOptions = Pick<ListOptions, 'maxCapacity' | 'signal' | 'counts' | 'attributes' | 'having' | 'maxBytes'>

/** Where a page begins, and its number where that is known. */
export interface PagePlace {
  readonly point: CursorPoint | undefined
  readonly number: number | null
  /** What the page index says: items of the whole query, and what asking took. */
  readonly indexed?: IndexedTotal
  /** The same, asked for while the page is read. */
  readonly asked?: Promise<IndexedTotal | undefined> | undefined
  /** What the lists give there, as the page index has it. */
  readonly near?: RecentLists | undefined
  /** Items that are read before those of the page, instead of looking their place up. */
  readonly skip?: { readonly items: number; readonly instead: RejectedPlan }
}

/** Reads the page at a place. */
export async function readPage<I>(
  context: ReadContext<I>,
  query: Query,
  { point, number, indexed: found, asked, near, skip }: PagePlace,
  options: ReadOptions,
): Promise<Page<I>> {
  const { codec } = context
  const counts = options.counts === false ? undefined : readCounts(context, query)
  const chosen = chosenAttributes(context, options.attributes, 'list', Object.keys(query.whole ?? {}))
  const place = placeOf(query, point)
  const skipped = skip?.items ?? 0
  const whole = skipped === 0 ? query : { ...query, limit: skipped + query.limit }
  // Together: totals need the counts, but a plan does with what is known by now.
  const [{ plan, execution }, counted, answered] = await Promise.all([
    found?.total === 0
      ? runEmpty(context, query, point)
      : planAndRun(context, whole, point, near ?? recentAt(context, query, point), options, chosen?.storedIn),
    untilAborted(counts, options.signal),
    untilAborted(asked, options.signal),
  ])
  const indexed = found ?? answered
  const lacksCounts = counts !== undefined && counted === undefined
  const stoppedBy = execution.stoppedBy ?? (lacksCounts ? 'aborted' : undefined)
  // Entries of which a part was read don't tell what they weigh.
  if (chosen === undefined && query.having === undefined)
    learnFrom(context, plan, execution, place, query, point?.direction ?? 'forward')
  const { total, count, facets, asOf } = totalsOf(context, query, counted, execution, {
    isFirst: point === undefined,
    indexed,
  })
  const foundBy = { point, number, total: found?.total, isSliced: skip !== undefined }
  const offset = offsetOf(query, foundBy, execution)
  return {
    items: execution.heads.slice(skipped).map(({ entry }) => (chosen ?? codec).toItem(entry) as I),
    page: { number, about: number === null ? numberAt(offset, query) : null, count, total, size: query.limit },
    cursors: cursorsOf(context, query, point, execution, { skipped, offset }),
    facets,
    asOf,
    plan: explainPlan(
      plan,
      { ...execution, stoppedBy },
      {
        statisticsRcu: counted?.rcu ?? null,
        unknown: counted?.unknown && { what: 'counts', reason: counted.unknown },
        pageIndex: indexed === undefined ? null : { rcu: indexed.rcu, rounds: indexed.rounds },
        skip,
      },
    ),
  }
}

/** A page of which the page index knows that there is nothing to read. */
async function runEmpty(
  context: ReadContext,
  query: Query,
  point: CursorPoint | undefined,
): Promise<{ readonly plan: Plan; readonly execution: Execution }> {
  const { collection, table, layout, codec, now } = context
  const plan = emptyPlan(query, declaredEstimates(collection), 'indexed', [])
  return { plan, execution: await execute(plan, { table, lists: layout, codec, now, point }) }
}

/** Runs the cheapest plan. Where DynamoDB turns out not to have its index, the next cheapest, without it. */
async function planAndRun(
  context: ReadContext,
  query: Query,
  point: CursorPoint | undefined,
  recent: RecentLists | undefined,
  { maxCapacity, maxBytes, signal, having }: ListOptions,
  project: ExecuteOptions['project'],
): Promise<{ readonly plan: Plan; readonly execution: Execution }> {
  const { codec, layout, table, now, states } = context
  for (;;) {
    const unusable = (await untilAborted(states.unusable(), signal)) ?? ALL_USABLE
    const plan = await planKnown(context, query, recent, unusable, signal)
    try {
      const isLive = livenessOf(context.collection, codec, context.clock)
      const sizeClasses: ExecuteOptions['sizeClasses'] = (list) => sizeClassesOf(context, query, list)
      const judge = judgeOf(codec, having)
      const budget = { maxCapacity, maxBytes, sizeClasses, signal }
      const { unreadable } = codec
      const run = { table, lists: layout, codec, now, point, project, isLive, unreadable, having: judge, ...budget }
      return { plan, execution: await execute(plan, run) }
    } catch (error) {
      const [first] = planSources(plan)
      const index = first?.source.list.index
      if (index === undefined || unusable.has(index) || meaningOf(error) !== 'no index') throw error
      states.absent(index)
    }
  }
}

/** That only the table's state is in the way of an answer, if so: an index would give it that is absent, or not filled. */
function lackingIndex(context: ReadContext, query: Query, unusable: UnusableIndexes): LapidaryError | undefined {
  const { layout, table, maxSources, collection } = context
  const { paths } = layout.accessPaths(query, (facet) => declaredEstimates(collection).values(facet), maxSources)
  const lacking = [...new Set(paths.map(({ index }) => index))].flatMap((index) => {
    const refusal = unusable.get(index)
    return refusal === undefined ? [] : [`index ${index} ${refusalText(refusal)}`]
  })
  if (lacking.length === 0) return undefined
  return new LapidaryError(
    'table_mismatch',
    `the table ${table.tableName} can't answer the query: ${lacking.join('; ')}. lapidary doctor tells what to create`,
  )
}

/** What the lists gave where a page begins, when this process read there lately. */
function recentAt(context: ReadContext, query: Query, point: CursorPoint | undefined): RecentLists | undefined {
  return experienceOf(context).recentAt(placeOf(query, point))
}

function planParsed(
  context: ReadContext,
  query: Query,
  known: Estimates,
  recent: RecentLists | undefined,
  unusable: UnusableIndexes,
): Plan {
  const { layout, maxSources, roundPrice } = context
  const estimates = pageEstimates(context, known)
  return planQuery(layout, query, estimates, { maxSources, roundPrice, recent, unusable })
}

/** What a page showed is where the plan of the next one begins. */
function learnFrom(
  context: ReadContext,
  plan: Plan,
  { observed, frontier, more }: Execution,
  place: string,
  query: Query,
  direction: Direction,
): void {
  const sources = planSources(plan).map(({ source: { list } }, i) => ({
    list,
    observed: observed[i] as SourceObservation,
  }))
  // One list that is the answer has all of it, wherever the next page begins.
  const isMixed = sources.length > 1 || (plan.root.kind === 'limit' && plan.root.input.kind === 'filter')
  const next =
    isMixed && more && frontier !== undefined
      ? placeOf(query, { direction, bound: boundBeyond(query, direction, frontier) })
      : undefined
  experienceOf(context).learn(sources, place, next)
}

/**
 * Plans with what is known by now. Where that does not do, since only counts know the values of an open facet, the counts are
 * read first.
 *
 * @throws {LapidaryError} `table_mismatch` where only an index that can't be used yet would answer.
 */
async function planKnown(
  context: ReadContext,
  query: Query,
  recent: RecentLists | undefined,
  unusable: UnusableIndexes,
  signal: AbortSignal | undefined,
): Promise<Plan> {
  try {
    return planParsed(context, query, knownEstimates(context, query), recent, unusable)
  } catch (error) {
    if (!isUnplannable(error)) throw error
    const lacking = (cause: unknown): unknown =>
      (isUnplannable(cause) ? lackingIndex(context, query, unusable) : undefined) ?? cause
    const counts = readCounts(context, query)
    if (counts === undefined) throw lacking(error)
    const read = await untilAborted(counts, signal)
    if (read === undefined)
      throw new LapidaryError('aborted', 'the query was aborted before it read anything', { cause: signal?.reason })
    try {
      return planParsed(context, query, read.estimates, recent, unusable)
    } catch (still) {
      throw lacking(still)
    }
  }
}

function isUnplannable(error: unknown): boolean {
  return error instanceof LapidaryError && error.code === 'query_not_plannable'
}

/** What is awaited; undefined once the signal is aborted. */
async function untilAborted<T>(work: Promise<T> | undefined, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (work === undefined || signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Totals and disjunctive facet counts. Counts are of all items: a query with a range has none, but a list that is wholly
 * on its first page tells its own total. Of counts, or a page index, that have fewer items than the page shows, all that is known is that
 * they are behind.
 */
export function totalsOf(
  { collection }: ReadContext,
  query: Query,
  counts: StatisticsReading | undefined,
  { heads, more }: Pick<Execution, 'heads' | 'more'>,
  { isFirst, indexed }: { readonly isFirst: boolean; readonly indexed: PagePlace['indexed'] },
): Pick<Page<unknown>, 'facets' | 'asOf'> & { readonly total: number | null; readonly count: number | null } {
  const isTelling = counts?.unknown === undefined && isWhole(collection, query)
  const counted = isTelling ? counts?.statistics : undefined
  const seen = heads.length + (more ? 1 : 0)
  const narrowing = countedBy(query, counted)
  const isKnown = counted !== undefined && isCounted(collection, narrowing)
  const chosen = knownSelection(narrowing, (facet) => counted?.values(facet))
  const atLeastSeen = (count: number): number | null => (count < seen ? null : count)
  const known = isKnown ? atLeastSeen(counted.count(chosen)) : null
  const ofIndex = indexed && atLeastSeen(indexed.total)
  const isAllHere = isFirst && !more
  const total = isAllHere ? heads.length : ofIndex === undefined ? known : ofIndex
  const isBehind = isKnown && known === null && (!isAllHere || counted.count({}) === 0)
  const facets = counted === undefined || isBehind ? {} : facetCounts(collection, counted, chosen)
  const isTold = (isKnown && !isBehind) || Object.keys(facets).length > 0
  // A page index in the table is written with the counts, and is as old.
  const isAsOld = isTold || (!isAllHere && indexed !== undefined && indexed.asOf === undefined)
  return {
    total,
    count: total === null ? null : Math.ceil(total / query.limit),
    facets: isTold ? facets : null,
    asOf: earliest(isAsOld ? (counts?.asOf ?? null) : null, indexed?.asOf),
  }
}

function earliest(counted: string | null, indexedUntil: number | undefined): string | null {
  if (indexedUntil === undefined) return counted
  const indexed = new Date(indexedUntil).toISOString()
  return counted === null || indexed < counted ? indexed : counted
}

/**
 * In the direction of the read, the look-ahead item decides. The other way there is the page that the cursor came from; if
 * this page is empty, that one begins at the cursor's own bound, or behind the last item that there is.
 */
export function cursorsOf(
  { collection, cursors }: ReadContext,
  query: Query,
  point: CursorPoint | undefined,
  { heads, more, frontier }: Execution,
  { skipped, offset }: { readonly skipped: number; readonly offset: number | undefined },
): Page<unknown>['cursors'] {
  const onwards: Direction = point?.direction ?? 'forward'
  const back: Direction = onwards === 'forward' ? 'backward' : 'forward'
  const passed = offset === undefined ? undefined : offset + Math.max(0, heads.length - skipped)
  const encode = (direction: Direction, bound: Bound): string =>
    cursors.encode(collection, query, { direction, bound, offset: direction === 'forward' ? passed : offset })
  const nearest = heads[onwards === 'forward' ? skipped : heads.length - 1]?.position
  const ahead = more && frontier !== undefined ? encode(onwards, boundBeyond(query, onwards, frontier)) : null
  const last = skipped > 0 ? heads.at(-1)?.position : undefined
  const end = point?.bound ?? (last && boundPast(last, isAscending(query, 'forward')))
  const behind =
    end === undefined ? null : encode(back, nearest === undefined ? end : boundBeyond(query, back, nearest))
  return onwards === 'forward' ? { next: ahead, previous: behind } : { next: behind, previous: ahead }
}
