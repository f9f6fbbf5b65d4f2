import type { CopyProjection } from '../derived/copy-projection.ts'
import type { Projection } from '../derived/projection.ts'
import type { RunnerOptions } from './runner.ts'

interface Followed {
  readonly projections: readonly Projection[]
  readonly copies?: readonly CopyProjection[]
}

/** What the runner takes that counts: all but the stores that follow the stream by themselves. */
export function countedOf({
  projections,
  copies = [],
}: Followed): Required<Pick<RunnerOptions, 'projections' | 'copies'>> {
  return { projections, copies: copies.filter(({ apart }) => apart === undefined) }
}

/**
 * What other runners take, one for each store that follows the stream by itself. They read the same stream, with checkpoints of their
 * own, so a store that is away keeps back its own position and nothing else; one that is put in another's place, and back again, goes
 * on from where it was itself.
 */
export function apartOf({
  copies = [],
}: Followed): readonly Pick<RunnerOptions, 'projections' | 'copies' | 'follower'>[] {
  const stores = new Set(copies.flatMap(({ apart }) => (apart === undefined ? [] : [apart])))
  return [...stores].map((store) => ({
    projections: [],
    copies: copies.filter(({ apart }) => apart === store),
    follower: store,
  }))
}
