import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { type Addition, netAdditions, type Projection, sumOf } from '../derived/projection.ts'
import type { Image } from './poison.ts'

/** A change with what each projection makes of it, and what none can. */
export interface DescribedChange {
  readonly change: Change
  readonly additions: readonly Addition[]
  /** Images that are not counted. */
  readonly uncounted: readonly Image[]
  /** Projections of copies that refused the change. */
  readonly refusedBy: readonly string[]
  readonly reason: string | undefined
}

/**
 * What the projections make of a change. An image that can't be read is left out, and the other one counts: so derived data
 * is that of the items that can be read, whatever came before or comes after.
 *
 * @param leftOut Images that can be read and are refused all the same, and why.
 */
export function describeChange(
  change: Change,
  projections: readonly Projection[],
  leftOut: readonly Image[] = [],
  reason?: string,
): DescribedChange {
  const additions: Addition[] = []
  const uncounted: Image[] = [...leftOut]
  const reasons = reason === undefined ? [] : [reason]
  for (const image of imagesOf(change)) {
    if (leftOut.includes(image)) continue
    try {
      additions.push(...additionsOf(change, image, projections))
    } catch (error) {
      uncounted.push(image)
      reasons.push(messageOf(error))
    }
  }
  return {
    change,
    additions: netAdditions(additions),
    uncounted,
    refusedBy: [],
    reason: reasons.join('; ') || undefined,
  }
}

export function imagesOf(change: Change): readonly Image[] {
  return (['before', 'after'] as const).filter((image) => change[image] !== undefined)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a change has to be kept: something of it is nowhere else. */
export function isPoison({ uncounted, refusedBy }: DescribedChange): boolean {
  return uncounted.length > 0 || refusedBy.length > 0
}

/**
 * Whether a change concerns any projection. The rest is passed over without a commit: checkpoints are in the stream too, and
 * would beget each other.
 */
export function isEffective(described: DescribedChange, copies: readonly CopyProjection[]): boolean {
  const { change, additions } = described
  return additions.length > 0 || isPoison(described) || copies.some((copy) => copy.concerns(change))
}

/** What an image adds, or takes away. */
function additionsOf({ key, at, ...images }: Change, image: Image, projections: readonly Projection[]): Addition[] {
  const entry = images[image]
  if (entry === undefined) return []
  return projections
    .filter((projection) => projection.isItem(key))
    .flatMap((projection) =>
      projection.contributions(entry).map(({ target, amounts }) => ({
        ...{ projection, target, at },
        amounts: image === 'after' ? amounts : sumOf({}, amounts, -1),
      })),
    )
}
