import { differingOf } from './difference.ts'
import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Verification } from './maintenance-options.ts'
import type { Target } from './tally.ts'

/**
 * Recounts the derived data of a table from its items, and tells every difference, while the table is written to and the
 * projections run. Reads only: the table once, and what may be wrong once or twice more.
 *
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 */
export async function verify(derived: DerivedData, options: MaintenanceOptions): Promise<Verification> {
  await using inspection = new Inspection(derived, options)
  await inspection.begin()
  const suspects = await different(inspection, await inspection.suspects())
  if (suspects.length > 0) {
    // Should the stream have been slow to tell of a change, it has told of it now.
    await inspection.settle()
    await different(inspection, suspects, true)
  }
  return inspection.result()
}

/** Targets that differ at their cuts. */
export async function different(
  inspection: Inspection,
  targets: readonly Target[],
  report = false,
): Promise<readonly Target[]> {
  const found: Target[] = []
  for await (const cut of inspection.cutsOf(targets)) {
    for (const { target, differences } of differingOf(cut, inspection.truth.tally)) {
      found.push(target)
      if (report) inspection.report(differences)
    }
  }
  return found
}
