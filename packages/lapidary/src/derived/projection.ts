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

/** Whether a rebuild makes it from the items; what the writes keep themselves is mended, and never made. */
export function canBeMade(projection: Projection): boolean {
  if (isSum(projection)) return true
  const { apply, fill, inspect } = projection
  return apply !== undefined && (fill !== undefined || inspect !== undefined)
}

/** Whether the table's register says of it whether it holds every item: where it lives in the table, and can be made. */
export function isRegistered(projection: Projection): boolean {
  return canBeMade(projection) && (isSum(projection) || projection.apart === undefined)
}
