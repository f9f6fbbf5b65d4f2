import type { Projection } from '../derived/projection.ts'
import type { KeptShapes } from '../derived/register/kept-shapes.ts'
import type { Entry } from '../model/entry.ts'
import type { ComparedCopy } from './compared-copy.ts'
import { Inspection } from './inspection.ts'
import { keepSince } from './kept-since.ts'
import type { DerivedData, MaintenanceOptions, Mending } from './maintenance-options.ts'
import { StoreGaps } from './store-gaps.ts'

/** Derived data, of which the compared copies are made. */
interface MadeCopies extends DerivedData {
  readonly shapes: KeptShapes
  readonly compared: readonly ComparedCopy[]
}

/**
 * Makes what copies hold of every item what the item says, while the table is used: also where they hold nothing. It reads the table once, and
 * items that are not right once more; it can be stopped or killed at any moment and run again.
 *
 * @param derived Compares the copies that are made, whatever is known of them.
 * @param declared All projections that there are.
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 */
export async function settleCopies(
  derived: MadeCopies,
  declared: readonly Projection[],
  options: MaintenanceOptions,
): Promise<Mending> {
  const { table, shapes, compared, clock } = derived
  const made = compared.map(({ projection }) => projection)
  const kept = await keepSince({ table, shapes, streams: async () => derived.streams }, made)
  const gaps = new StoreGaps(made, declared)
  await using inspection = new Inspection({ ...derived, keptSince: kept.revision }, options)
  await inspection.begin({
    seen(entries: readonly Entry[]) {
      kept.see(entries)
      gaps.see(entries)
    },
  })
  await inspection.requireKept()
  let mended = 0
  for (const each of compared) mended += await each.mendAll(inspection)
  await kept.finish()
  await gaps.clear(table, clock())
  return { ...(await inspection.result([])), mended, deadLettersForgotten: 0, gapsCleared: 0 }
}
