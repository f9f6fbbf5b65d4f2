import type { Change } from '../derived/change.ts'
import {
  type Contribution,
  type CountingProjection,
  type NetContribution,
  netContributions,
  type SettingProjection,
  targetId,
} from '../derived/projection.ts'
import type { Image } from './poison.ts'

/** A change with what each projection makes of it, and what none can. */
export interface DescribedChange {
  readonly change: Change
  readonly contributions: readonly { readonly projection: CountingProjection; readonly contribution: Contribution }[]
  /** Images that are not counted. */
  readonly uncounted: readonly Image[]
  /** Projections of copies that refused the change. */
  readonly refusedBy: readonly string[]
  readonly reason: string | undefined
}

/**
 * What the projections make of a change. An image that can't be read is left out, and the other one counts: so counts are
 * those of the items that can be read, whatever came before or comes after.
 */
export function describeChange(change: Change, counting: readonly CountingProjection[]): DescribedChange {
  try {
    const contributions = contributionsOf(change, counting)
    return { change, contributions, uncounted: [], refusedBy: [], reason: undefined }
  } catch {
    return describeImages(change, counting, [], undefined)
  }
}

/** As {@link describeChange}, with images left out that can be read and yet are refused. */
export function describeImages(
  change: Change,
  counting: readonly CountingProjection[],
  leftOut: readonly Image[],
  reason: string | undefined,
): DescribedChange {
  const contributions: DescribedChange['contributions'][number][] = []
  const uncounted: Image[] = []
  const reasons = reason === undefined ? [] : [reason]
  for (const image of imagesOf(change)) {
    if (leftOut.includes(image)) {
      uncounted.push(image)
      continue
    }
    const other = image === 'before' ? 'after' : 'before'
    try {
      contributions.push(...contributionsOf({ ...change, [other]: undefined }, counting))
    } catch (error) {
      uncounted.push(image)
      reasons.push(messageOf(error))
    }
  }
  return { change, contributions, uncounted, refusedBy: [], reason: reasons.join('; ') || undefined }
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
 * Whether a change is any projection's business. The rest is passed over without a commit: checkpoints are in the stream
 * too, and would beget each other.
 */
export function isEffective(described: DescribedChange, setting: readonly SettingProjection[]): boolean {
  const { change, contributions } = described
  return contributions.length > 0 || isPoison(described) || setting.some((projection) => projection.concerns(change))
}

/** What a chunk adds to the targets of a projection. */
export function netOf(projection: CountingProjection, chunk: readonly DescribedChange[]): readonly NetContribution[] {
  return netContributions(
    chunk.flatMap(({ change, contributions }) =>
      contributions
        .filter((each) => each.projection === projection)
        .map(({ contribution }) => ({ contribution, at: change.at })),
    ),
  )
}

/** As many changes from the start as need no more writes than one transaction takes, at least one. */
export function chunkLength(changes: readonly DescribedChange[], mostWrites: number): number {
  const targets = new Set<string>()
  let writes = 0
  for (const [i, described] of changes.entries()) {
    if (isPoison(described)) writes += 1
    for (const { projection, contribution } of described.contributions) {
      const id = `${projection.name}\u0000${targetId(contribution.target)}`
      if (!targets.has(id)) writes += projection.writesPerTarget
      targets.add(id)
    }
    if (writes > mostWrites) return Math.max(1, i)
  }
  return changes.length
}

function contributionsOf(
  change: Change,
  counting: readonly CountingProjection[],
): readonly DescribedChange['contributions'][number][] {
  return counting.flatMap((projection) =>
    projection.contributions(change).map((contribution) => ({ projection, contribution })),
  )
}
