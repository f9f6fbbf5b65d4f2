import { together } from './compared-pages.ts'
import type { DuplicatesInspection } from './duplicates-inspection.ts'
import { Inspection } from './inspection.ts'
import type { DerivedData, MaintenanceOptions, Verification } from './maintenance-options.ts'

/** What was found, and what the duplicates of the items differ in that they were told to look at. */
export async function withDuplicates(
  derived: DerivedData,
  options: MaintenanceOptions,
  found: Verification,
  duplicates: readonly DuplicatesInspection[],
): Promise<Verification> {
  if (duplicates.length === 0) return found
  await using inspection = new Inspection({ ...derived, pages: together(duplicates) }, options)
  await inspection.begin({ scan: async () => {} })
  for (const each of duplicates) await each.compare(inspection, { mends: false })
  const { differences, differenceCount, capacity } = await inspection.result([])
  return {
    ...found,
    differences: [...found.differences, ...differences],
    differenceCount: found.differenceCount + differenceCount,
    capacity: found.capacity + capacity,
  }
}
