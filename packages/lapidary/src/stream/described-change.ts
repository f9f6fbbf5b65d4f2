import { sumOf } from '../derived/amount.ts'
import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { type Addition, contributionsOf, netAdditions, type SumProjection } from '../derived/sum-projection.ts'

/** One of the two images of a change. A change counts its former image down and its new one up, each by itself. */
export type Image = 'before' | 'after'

const BOTH: readonly Image[] = ['before', 'after']

/** What may be counted of a change, from all of it to nothing: what is refused with both images may be taken with one. */
export const LESS_AND_LESS: readonly (readonly Image[])[] = [BOTH, ['after'], ['before'], []]

/** A change with what all projections make of it. */
export interface DescribedChange {
  readonly change: Change
  readonly additions: readonly Addition[]
  /** Why something of it is left out, for a dead letter; undefined when all of it is taken. */
  readonly problem: string | undefined
  /** Copies that refused the change. */
  readonly refusedBy: readonly string[]
}

/**
 * What the projections make of a change. A projection leaves out an image that it can't read, and takes the other one: so derived data
 * is that of the items that can be read, whatever came before or comes after, and whatever else is counted beside it.
 */
export function describeChange(
  change: Change,
  projections: readonly SumProjection[],
  images: readonly Image[] = BOTH,
): DescribedChange {
  const additions: Addition[] = []
  const problems: string[] = []
  for (const projection of projections.filter((each) => each.isItem(change.key))) {
    for (const image of images) {
      try {
        additions.push(...additionsOf(change, image, projection))
      } catch (error) {
        problems.push(messageOf(error))
      }
    }
  }
  const problem = [...new Set(problems)].join('; ') || undefined
  return { change, additions: netAdditions(additions), problem, refusedBy: [] }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Whether a change concerns any projection. The rest is passed over without a commit: checkpoints are in the stream too, and
 * would beget each other.
 */
export function isEffective(
  { change, additions, problem }: DescribedChange,
  copies: readonly CopyProjection[],
): boolean {
  return additions.length > 0 || problem !== undefined || copies.some((copy) => copy.isItem(change.key))
}

/** What an image adds, or takes away. */
function additionsOf({ at, ...images }: Change, image: Image, projection: SumProjection): readonly Addition[] {
  const entry = images[image]
  if (entry === undefined) return []
  return contributionsOf(projection, entry).map(({ target, amounts }) => ({
    ...{ projection, target, at },
    amounts: image === 'after' ? amounts : sumOf({}, amounts, -1),
  }))
}
