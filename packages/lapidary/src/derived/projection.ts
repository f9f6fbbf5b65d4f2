import type { CopyProjection } from './copy-projection.ts'
import type { SumProjection } from './sum-projection.ts'

/**
 * One kind of derived data of one collection, and all that the runner, verify, repair, rebuild, doctor and readiness know of it. Sums live in the
 * transaction that moves the checkpoint; copies in the table, beside that transaction or in the write's own, or in a store that follows the change
 * stream by itself.
 */
export type Projection = SumProjection | CopyProjection

export function isSum(projection: Projection): projection is SumProjection {
  return 'contributions' in projection
}

export function sumsOf(projections: readonly Projection[]): readonly SumProjection[] {
  return projections.filter(isSum)
}

export function copiesOf(projections: readonly Projection[]): readonly CopyProjection[] {
  return projections.filter((projection): projection is CopyProjection => !isSum(projection))
}

/** Whether the runner that counts keeps it: sums, and copies in the table, but for what the writes of the items keep themselves. */
export function isCounted(projection: Projection): boolean {
  return isSum(projection) || (projection.apart === undefined && projection.apply !== undefined)
}

/** How a projection is made of the items: at exact snapshots, from a scan, by mending what an inspection finds, or by no rebuild. */
export function madeBy(projection: Projection): 'snapshots' | 'fill' | 'inspection' | 'nothing' {
  if (isSum(projection)) return 'snapshots'
  if (projection.fill !== undefined) return 'fill'
  return projection.inspect === undefined ? 'nothing' : 'inspection'
}

/** Whether the table's register says of it whether it holds every item: where it is counted, and can be made. */
export function isRegistered(projection: Projection): boolean {
  return isCounted(projection) && madeBy(projection) !== 'nothing'
}
