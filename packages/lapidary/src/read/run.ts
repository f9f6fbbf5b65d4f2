import { type ExecuteOptions, type Execution, execute } from '../executor/execute.ts'
import { keyNamesOf } from '../layouts/index-definition.ts'
import { livenessOf } from '../model/expiry.ts'
import type { Query } from '../model/query.ts'
import { declaredEstimates } from '../planner/estimates.ts'
import { type Plan, planSources } from '../planner/plan.ts'
import { emptyPlan } from '../planner/plan-query.ts'
import { ALL_USABLE, type UnusableIndexes } from '../schema/index-states.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { asStep } from '../table/observer.ts'
import type { ReadContext } from './context.ts'
import { judgeOf } from './having.ts'
import type { ReadOptions } from './list-options.ts'
import { planFigures } from './observed.ts'
import { sizeClassesOf } from './page-estimates.ts'
import { planKnown, recentAt } from './plan-known.ts'
import { pointOf, type Start, skippedBy } from './start.ts'
import { untilAborted } from './until-aborted.ts'

/** The lists of a page as they were planned and read. */
export interface Run {
  readonly plan: Plan
  readonly execution: Execution
}

/** How lists are read, beyond what the caller says. */
interface RunOptions extends Pick<ExecuteOptions, 'project' | 'beside'> {
  /** Told how many lists are about to be read. */
  readonly planned: (lists: number) => void
  readonly options: ReadOptions
}

/** Plans and reads the lists of a page: the cheapest way, and where DynamoDB turns out not to have its index, the next cheapest. */
export async function run(
  context: ReadContext,
  query: Query,
  start: Start,
  { options, project, beside, planned }: RunOptions,
): Promise<Run> {
  const { codec, layout, table, now, states, collection, clock } = context
  const { maxCapacity, maxBytes, signal } = options
  const further = options.written?.length ?? 0
  let given = plannedBy(context, query, start, further)
  for (;;) {
    const { unusable, plan } = await table.observe(
      { kind: 'plan', collection: collection.name },
      async () => {
        const usable = await usableNow(context, signal)
        return { unusable: usable, plan: given ?? planStart(context, query, start, usable, options) }
      },
      (planned) => planFigures(planned.plan),
    )
    given = undefined
    planned(planSources(plan).length)
    // The first that failed, whose error is the one that is thrown.
    let index: string | undefined
    try {
      const byColumns = runByColumns(context, plan, start, options, beside)
      if (byColumns !== undefined) return { plan, execution: await byColumns }
      const execution = await execute(plan, {
        table,
        lists: layout,
        codec,
        now,
        point: pointOf(start),
        project,
        keyNames: (list) => keyNamesOf(layout.indexes, list.index),
        isLive: livenessOf(collection, codec, clock),
        unreadable: codec.unreadable,
        having: judgeOf(codec, options.having),
        maxCapacity,
        maxBytes,
        signal,
        beside,
        failed: (list) => {
          index ??= list.index
        },
        sizeClasses: (list) => sizeClassesOf(context, query, list),
      })
      return { plan, execution }
    } catch (error) {
      if (index === undefined || unusable.has(index) || meaningOf(error) !== 'no index') throw error
      states.absent(index)
    }
  }
}

function runByColumns(
  context: ReadContext,
  plan: Plan,
  start: Start,
  { signal, maxCapacity = Number.POSITIVE_INFINITY }: ReadOptions,
  beside: ExecuteOptions['beside'],
): Promise<Execution> | undefined {
  const { columns } = context
  if (columns === undefined || plan.root.kind === 'empty' || plan.root.input.kind !== 'columns') return undefined
  const { input } = plan.root
  return asStep(context.table, { name: 'columns' }, () =>
    columns.run(context, plan, input, {
      ...{ point: pointOf(start), signal, mostRcu: () => maxCapacity - (beside?.() ?? 0) },
    }),
  )
}

/** Which indexes may not be read now; all may once the signal is aborted, for then none is read. */
export async function usableNow(
  { states, columns }: ReadContext,
  signal: AbortSignal | undefined,
): Promise<UnusableIndexes> {
  const [unusable] = await Promise.all([untilAborted(states.unusable(), signal), columns?.index.look()])
  return unusable ?? ALL_USABLE
}

/** The plan that a start has with it. */
function plannedBy({ collection }: ReadContext, query: Query, start: Start, further: number): Plan | undefined {
  if (start.kind === 'slice') return further === 0 ? start.plan : undefined
  if (start.kind !== 'rank' || start.indexed.total > 0) return undefined
  return emptyPlan(query, declaredEstimates(collection), 'indexed', [])
}

function planStart(
  context: ReadContext,
  query: Query,
  start: Start,
  unusable: UnusableIndexes,
  options: ReadOptions,
): Plan {
  // What lists show of items that were written is left out.
  const further = skippedBy(start) + (options.written?.length ?? 0)
  const whole = further === 0 ? query : { ...query, limit: further + query.limit }
  const near = start.kind === 'rank' ? start.near : undefined
  return planKnown(context, whole, unusable, near ?? recentAt(context, whole, pointOf(start)), options)
}
