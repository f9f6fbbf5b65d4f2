import type { PlanEstimate } from '../planner/plan.ts'

/** The items of a whole query by a page index, and the cost of asking it. */
export interface IndexedTotal extends PlanEstimate {
  readonly total: number
  readonly asOf?: number | undefined
}

/** A total that a page index may be asked for. */
export interface AskedTotal {
  readonly estimated: PlanEstimate
  readonly ask: () => Promise<IndexedTotal | undefined>
}
