import { boundBeyond } from '../cursor/cursor.ts'
import type { Query } from '../model/query.ts'
import type { SourceObservation } from '../planner/experience.ts'
import { planSources } from '../planner/plan.ts'
import type { ReadContext } from './context.ts'
import { experienceOf, placeOf } from './page-estimates.ts'
import type { Run } from './run.ts'
import { pointOf, type Start } from './start.ts'

/** Keeps what a page showed, from which the plan of the next one begins. */
export function learnFrom(context: ReadContext, query: Query, start: Start, { plan, execution }: Run): void {
  const { observed, frontier, more } = execution
  const point = pointOf(start)
  const direction = point?.direction ?? 'forward'
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
  experienceOf(context).learn(sources, placeOf(query, point), next)
}
