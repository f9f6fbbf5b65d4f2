import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Mending } from './maintenance-options.ts'

/**
 * Makes what copies hold of every item what the item says, while the table is used: also where they hold nothing. It reads the table once, and
 * items that are not right once more; it can be stopped or killed at any moment and run again.
 *
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 */
export async function settleCopies(derived: DerivedData, options: MaintenanceOptions): Promise<Mending> {
  await using inspection = new Inspection(derived, options)
  await inspection.begin()
  await inspection.requireKept()
  let mended = 0
  for (const each of derived.compared ?? []) mended += await each.mendAll(inspection)
  return { ...(await inspection.result([])), mended, deadLettersForgotten: 0, gapsCleared: 0 }
}
