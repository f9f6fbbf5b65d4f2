import type { PageIndex } from '../pages/page-index.ts'
import type { PlanEstimate } from '../planner/plan.ts'
import type { AskedTotal } from './asked-total.ts'

/** Turns the rank of a page's first item into its position: a page index, or columns. */
export interface Numbering extends Pick<PageIndex, 'label' | 'state' | 'find'> {
  /** What plans call it. */
  readonly text: string
  /** What finding an item, or the total alone, should take. */
  price(asked: { readonly entry: boolean }): PlanEstimate
  /** Asks for the total alone; undefined where that is as dear as finding an item. */
  readonly total: AskedTotal | undefined
}
