import { differencesOf } from './difference.ts'
import { Inspection } from './inspection.ts'
import type { MaintenanceOptions, Verification, WithContext } from './maintenance-options.ts'
import type { Unit } from './tally.ts'

/**
 * Recounts the statistics and leaderboards of all collections of a table from their items, and tells every difference, while
 * the table is written to and the projections run. Reads only: the table once, and what may be wrong once or twice more.
 *
 * @param clients Clients of all collections of the table.
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 * @example
 * ```ts
 * const { differenceCount } = await verifyStatistics([lapidary.comments], { clientConfig: { region: 'eu-central-1' } })
 * ```
 */
export async function verifyStatistics(
  clients: readonly WithContext[],
  options: MaintenanceOptions,
): Promise<Verification> {
  await using inspection = new Inspection(clients, options)
  await inspection.begin()
  const suspects = await different(inspection, inspection.suspects())
  if (suspects.length > 0) {
    // Should the stream have been slow to tell of a change, it has told of it now.
    await inspection.settle()
    await different(inspection, suspects, true)
  }
  return inspection.result()
}

/** Units that differ at their cuts. */
async function different(inspection: Inspection, units: readonly Unit[], report = false): Promise<readonly Unit[]> {
  const found: Unit[] = []
  for await (const { units: cut, entries } of inspection.cutsOf(units)) {
    for (const unit of cut) {
      const differences = differencesOf(unit, inspection.truth.tally.countsOf(unit), entries)
      if (differences.length === 0) continue
      found.push(unit)
      if (report) inspection.report(differences)
    }
  }
  return found
}
