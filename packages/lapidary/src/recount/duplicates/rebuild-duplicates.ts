import { Inspection } from '../inspection.ts'
import type { DerivedData, MaintenanceOptions, Mending } from '../maintenance-options.ts'
import type { DuplicatesInspection } from './duplicates-inspection.ts'

/**
 * Makes the duplicates of every item what the item says, while the table is used: also where there were none. It reads the table once,
 * and items whose duplicates are not right once more; it can be stopped or killed at any moment and run again.
 *
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 */
export async function rebuildDuplicates(
  derived: DerivedData,
  duplicates: readonly DuplicatesInspection[],
  options: MaintenanceOptions,
): Promise<Mending> {
  await using inspection = new Inspection({ ...derived, compared: duplicates }, options)
  await inspection.begin()
  await inspection.requireKept()
  let mended = 0
  for (const each of duplicates) mended += await each.mend(inspection)
  return { ...(await inspection.result([])), mended, deadLettersForgotten: 0, gapsCleared: 0 }
}
