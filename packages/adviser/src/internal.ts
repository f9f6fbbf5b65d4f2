/**
 * Parts of the adviser that Lapidary's own tools show by themselves. They are no part of what the adviser promises: a name may change or go in any
 * release.
 *
 * @module lapidary-adviser/internal
 */

export { evenly, valueAt } from './even-draw.ts'
export { fillerOf, madeItem } from './population.ts'
export { HOURS_A_MONTH, monthlyPrice, type Usage } from './prices.ts'
export { SCOPE_ID } from './workload.ts'
export { type PartitionUnits, writeUnits } from './write-units.ts'
