import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Projection } from '../derived/projection.ts'
import type { RunnerOptions } from './runner.ts'

/** The follower of what is kept in stores that may be away while the table is there. */
export const APART = 'apart'

interface Followed {
  readonly projections: readonly Projection[]
  readonly copies?: readonly CopyProjection[]
}

/** What the runner takes that counts: all but the stores that follow the stream by themselves. */
export function countedOf({ projections, copies = [] }: Followed): Pick<RunnerOptions, 'projections' | 'copies'> {
  return { projections, copies: copies.filter(({ apart }) => apart !== true) }
}

/**
 * What the second runner takes. It reads the same stream, with checkpoints of its own, so a store that is away keeps back its own
 * position and nothing else. Undefined where there is no such store.
 */
export function apartOf({
  copies = [],
}: Followed): Pick<RunnerOptions, 'projections' | 'copies' | 'follower'> | undefined {
  const apart = copies.filter((copy) => copy.apart === true)
  return apart.length === 0 ? undefined : { projections: [], copies: apart, follower: APART }
}
