import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Verification } from './maintenance-options.ts'
import type { Target } from './tally.ts'

/**
 * Recounts the derived data of a table from its items, and tells every difference, while the table is written to and the
 * projections run. It reads the table once, and what may be wrong once more; it writes nothing but probes, and removes them.
 *
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 */
export async function verify(derived: DerivedData, options: MaintenanceOptions): Promise<Verification> {
  await using inspection = new Inspection(derived, options)
  await inspection.begin()
  await inspection.compare({ mends: false })
  await different(inspection, await inspection.suspects())
  return await inspection.result()
}

/** Reports targets that differ at their snapshots, and gives them. */
export async function different(inspection: Inspection, targets: readonly Target[]): Promise<readonly Target[]> {
  const found: Target[] = []
  for await (const differing of inspection.differing(targets, false)) {
    found.push(...differing.map(({ target }) => target))
  }
  return found
}
