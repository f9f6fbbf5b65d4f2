import { LapidaryError } from 'lapidary'
import { type MaintenanceFlags, maintenanceOptions } from './derived-data.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** When derived data of imported items is made: at the end of the import, or by what follows the change stream. */
export const WHEN_DERIVED = ['now', 'later'] as const
export type WhenDerived = (typeof WHEN_DERIVED)[number]

/** Fewer items are counted as soon as something follows the stream. */
const LEAST_ITEMS = 1_000

/**
 * Tells after an import whether derived data is made at once. Where the command does not say, it is after a large import into a table of which nothing
 * was ever counted, whose counts no page shows yet. To be called before the import.
 */
export async function decideWhen(
  { database }: Session,
  asked: WhenDerived | undefined,
): Promise<(written: number) => boolean> {
  if (asked !== undefined) return () => asked === 'now'
  try {
    const { shards } = await database.stream.report()
    const isUnused = shards.every(({ owner, sequenceNumber }) => owner === undefined && sequenceNumber === undefined)
    return (written) => isUnused && written >= LEAST_ITEMS
  } catch (error) {
    // A table without a change stream has no counts.
    if (error instanceof LapidaryError && error.code === 'table_mismatch') return () => false
    throw error
  }
}

/** Makes all derived data from one scan of the table. */
export async function makeDerived({ database }: Session, flags: MaintenanceFlags, terminal: Terminal): Promise<void> {
  terminal.note(
    'making counts, leaderboards and page numbers from the items; --derived later leaves that to lapidary stream, the server or the Lambda',
  )
  await database.derived.rebuild('all', maintenanceOptions(flags, terminal))
}
