import { copiesOf, isCounted, type Projection } from '../derived/projection.ts'
import type { RunnerOptions } from './runner.ts'

/** What the runner takes that counts: all but stores that follow the stream by themselves, and what the writes of the items keep. */
export function countedOf(projections: readonly Projection[]): readonly Projection[] {
  return projections.filter(isCounted)
}

/**
 * What other runners take, one for each store that follows the stream by itself. They read the same stream, with checkpoints of their
 * own, so a store that is away keeps back its own position and nothing else; one that is put in another's place, and back again, goes
 * on from where it was itself.
 */
export function apartOf(
  projections: readonly Projection[],
): readonly Required<Pick<RunnerOptions, 'projections' | 'follower'>>[] {
  const copies = copiesOf(projections)
  const stores = new Set(copies.flatMap(({ apart }) => apart ?? []))
  return [...stores].map((follower) => ({ follower, projections: copies.filter(({ apart }) => apart === follower) }))
}
