import { randomUUID } from 'node:crypto'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/target-key.ts'
import { LapidaryError } from '../model/errors.ts'
import { moveOf } from '../stream/checkpoint.ts'
import { commit, type Guard } from '../stream/commit.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/**
 * Makes each commit of a mending happen once, whatever becomes of its answer: it moves the fence from one turn to the next, and
 * the table takes no other commit from the same turn. So of a write that comes late and the same one tried again, one is refused.
 */
export interface Fence {
  /** The guard of the next commit; to be called once the one before is made. */
  next(): Guard
}

/**
 * Begins turns of its own on an item whose lease is held: what an earlier holder sent and the table has not taken yet is refused
 * from now on.
 *
 * @throws {LapidaryError} `unavailable` when another process has the lease.
 */
export async function beginFence(table: TableClient, key: TargetKey, owner: string): Promise<Fence> {
  const held = () => readEntry(table, keyEntry(key))
  let turn = (await held())?.turn?.S
  function next(): Guard {
    const from = turn
    const to = randomUUID()
    turn = to
    return {
      name: 'what is mended',
      writes: [moveOf(table, key, 'turn', owner, from, to)],
      async isSpent() {
        const { turn: now, owner: holder } = (await held()) ?? {}
        if (now?.S === to) return true
        if (now?.S === from && holder?.S === owner) return false
        throw new LapidaryError('unavailable', 'another process took over the repair of this derived data')
      },
    }
  }
  await commit(table, next(), [])
  return { next }
}
