import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Projection } from '../derived/projection.ts'
import type { RunnerOptions } from './runner.ts'

interface Followed {
  readonly projections: readonly Projection[]
  readonly copies?: readonly CopyProjection[]
}

/** What the runner takes that counts: all but the stores that follow the stream by themselves. */
export function countedOf({ projections, copies = [] }: Followed): Pick<RunnerOptions, 'projections' | 'copies'> {
  return { projections, copies: copies.filter(({ apart }) => apart === undefined) }
}

/**
 * What the second runner takes. It reads the same stream, with checkpoints of its own, so a store that is away keeps back its own
 * position and nothing else. Undefined where there is no such store.
 */
export function apartOf({
  copies = [],
}: Followed): Pick<RunnerOptions, 'projections' | 'copies' | 'follower'> | undefined {
  const apart = copies.filter((copy) => copy.apart !== undefined)
  // A store that is put in another's place, and back again, goes on from where it was itself.
  const stores = [...new Set(apart.map((copy) => copy.apart))].sort()
  return apart.length === 0 ? undefined : { projections: [], copies: apart, follower: stores.join('+') }
}
