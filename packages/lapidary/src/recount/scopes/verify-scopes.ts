import type { Difference } from '../../derived/copy-inspection.ts'
import type { TargetKey } from '../../derived/target-key.ts'
import { Inspection } from '../inspection.ts'
import type { DerivedData, MaintenanceOptions, Verification } from '../maintenance-options.ts'
import type { Target } from '../tally.ts'
import { different } from '../verify.ts'
import { readScope, type SampledScope } from './sample-scopes.ts'

/** Indexes are not consistent, so what differs is listed again: an index is behind for a moment, a wrong counter stays. */
const MOST_LOOKS = 3

/**
 * As `verify`, of some scopes, and of the projections that keep a scope's items in one partition; at the end of what else is compared
 * with items, as far as it was told which.
 *
 * @param seen Told of the key of each of their items.
 */
export async function verifyScopes(
  derived: DerivedData,
  { onDifference, ...options }: MaintenanceOptions,
  choose: (inspection: Inspection) => Promise<readonly SampledScope[]>,
  seen: (key: TargetKey) => void = () => {},
): Promise<Verification> {
  let scopes: readonly SampledScope[] | undefined
  let first: Verification | undefined
  for (let look = 1; ; look++) {
    const told: Difference[] = []
    await using inspection = new Inspection(derived, { ...options, onDifference: (each) => told.push(each) })
    scopes ??= await inspection.guarded(choose(inspection))
    const chosen = scopes
    await inspection.begin({
      async scan() {
        inspection.meter.enter('sample', chosen.length)
        for (const scope of chosen) {
          await readScope(scope, inspection, seen)
          inspection.meter.done++
        }
      },
    })
    const partitions = new Set(chosen.flatMap((scope) => scope.partitions))
    const isChosen = ({ key }: Target): boolean => partitions.has(key.PK)
    // What looks right and was not touched is right, as in a whole verify: reading it again at a snapshot would cost more than the items did.
    const found = await different(inspection, (await inspection.suspects()).filter(isChosen))
    const isLast = found.length === 0 || look === MOST_LOOKS
    if (isLast) await inspection.compare({ mends: false })
    const result = await inspection.result(inspection.truth.tally.targets.filter(isChosen))
    first ??= result
    if (isLast) {
      for (const each of told) onDifference?.(each)
      return { ...result, items: first.items, targets: first.targets, compared: first.compared }
    }
    const differing = new Set(found.map(({ key }) => key.PK))
    scopes = chosen.filter((scope) => scope.partitions.some((partition) => differing.has(partition)))
  }
}
