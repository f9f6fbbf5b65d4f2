import type { CursorPoint } from '../cursor/cursor.ts'
import { refusalText } from '../layouts/refusal.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Query } from '../model/query.ts'
import type { ColumnIndex } from '../pages/column-index.ts'
import { columnsPlan, withColumns, withDearColumns, withoutColumns } from '../planner/columns-plan.ts'
import { declaredEstimates, type RecentLists } from '../planner/estimates.ts'
import type { Plan, PlanEstimate, RejectedPlan } from '../planner/plan.ts'
import { planQuery } from '../planner/plan-query.ts'
import type { UnusableIndexes } from '../schema/index-states.ts'
import type { ReadContext } from './context.ts'
import type { ReadOptions } from './list-options.ts'
import { experienceOf, type LearningContext, pageEstimates, placeOf } from './page-estimates.ts'
import { type CountedContext, knownEstimates } from './query-counts.ts'

/** The part of what reading needs that planning does: it reads nothing. */
export interface PlanningContext extends LearningContext, CountedContext {
  readonly table: Pick<ReadContext['table'], 'tableName'>
  readonly columns?: { readonly index: Pick<ColumnIndex, 'way' | 'refusal'> } | undefined
  readonly maxSources: number
  readonly roundPrice: number | undefined
}

/**
 * Plans the lists of a page with what the process knows by now; it reads nothing.
 *
 * @param recent What the lists gave lately where the page begins.
 * @param options Which ways the page may take; all when not given.
 * @throws {LapidaryError} `query_not_plannable`, or `table_mismatch` where only an index that can't be used yet would answer.
 */
export function planKnown(
  context: PlanningContext,
  query: Query,
  unusable: UnusableIndexes,
  recent: RecentLists | undefined,
  options: Pick<ReadOptions, 'fresh' | 'maxBytes' | 'maxCapacity'> = {},
): Plan {
  const { layout, maxSources, roundPrice } = context
  const estimates = pageEstimates(context, knownEstimates(context, query))
  const columns = options.fresh === true ? undefined : context.columns?.index
  const way = columns?.way(query, estimates)
  try {
    const plan = planQuery(layout, query, estimates, { maxSources, roundPrice, recent, unusable })
    if (way === undefined) return withoutColumns(plan, columns?.refusal(query))
    return fits(way.estimated, options) ? withColumns(plan, way) : withDearColumns(plan, way)
  } catch (error) {
    const isUnplannable = error instanceof LapidaryError && error.code === 'query_not_plannable'
    if (isUnplannable && way !== undefined && fits(way.estimated, options)) {
      return columnsPlan(query, way, estimates, error.details?.refused as readonly RejectedPlan[])
    }
    throw (isUnplannable ? lackingIndex(context, query, unusable) : undefined) ?? error
  }
}

/** By how much less than a cap a page by columns should take: what it takes is known only once they are read. */
const CAP_SLACK = 2

function fits(
  { rcu }: PlanEstimate,
  { maxBytes, maxCapacity }: Pick<ReadOptions, 'maxBytes' | 'maxCapacity'>,
): boolean {
  return maxBytes === undefined && (maxCapacity === undefined || rcu * CAP_SLACK <= maxCapacity)
}

/** Tells what the lists gave where a page begins, when this process read there lately. */
export function recentAt(context: ReadContext, query: Query, point: CursorPoint | undefined): RecentLists | undefined {
  return experienceOf(context).recentAt(placeOf(query, point))
}

/** Tells that only the table's state is in the way of an answer, if so: an index would give it that is absent, or not filled. */
function lackingIndex(context: PlanningContext, query: Query, unusable: UnusableIndexes): LapidaryError | undefined {
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
