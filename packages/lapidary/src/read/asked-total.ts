import type { PlanEstimate } from '../planner/plan.ts'

/** What a page index says of a whole query, and what asking took. */
export interface IndexedTotal extends PlanEstimate {
  readonly total: number
  readonly asOf?: number | undefined
}

/** A total that a page index may be asked for. */
export interface AskedTotal {
  readonly estimated: PlanEstimate
  readonly ask: () => Promise<IndexedTotal | undefined>
}
