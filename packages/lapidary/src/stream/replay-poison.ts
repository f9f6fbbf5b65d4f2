import { isRefusal } from './commit.ts'
import { messageOf } from './described-change.ts'
import { listPoison, type PoisonRecord } from './poison.ts'
import type { Runner } from './runner.ts'

/** What came of a replay. */
export interface PoisonReplay {
  readonly applied: number
  /** Records that are still refused, each with the reason of now. They stay where they are. */
  readonly refused: readonly PoisonRecord[]
}

/**
 * Applies every record that was set aside, each exactly once: what it adds is in one transaction with its removal. To be
 * run when the projections were mended; records of items that a rebuild has counted since must be discarded instead.
 */
export async function replayPoison(runner: Runner): Promise<PoisonReplay> {
  let applied = 0
  const refused: PoisonRecord[] = []
  for (const record of await listPoison(runner.table)) {
    try {
      if (await runner.replay(record)) applied += 1
    } catch (error) {
      if (!isRefusal(error)) throw error
      refused.push({ ...record, reason: messageOf(error) })
    }
  }
  return { applied, refused }
}
