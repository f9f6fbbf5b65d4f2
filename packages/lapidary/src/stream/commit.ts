import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { fold } from '../derived/derived-item.ts'
import { guardedWrite, keyEntry } from '../derived/guarded-write.ts'
import type { Addition } from '../derived/sum-projection.ts'
import { type TargetKey, targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { isUnsettled } from '../table/database-error.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { readEntries } from '../table/read-entries.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { transactWrites } from '../table/transaction.ts'

/** What makes a commit happen once: writes in its transaction of which some are refused the second time. */
export interface Guard {
  /** What is guarded, for messages. */
  readonly name: string
  readonly writes: readonly TransactWriteItem[]
  /**
   * Asked after a try without a clear answer: whether this commit, or another in its place, was made.
   *
   * @throws {LapidaryError} `unavailable` when it is no longer ours to make.
   */
  isSpent(): Promise<boolean>
}

const MAX_CONFLICTS = 30

/**
 * Adds to derived items, in one transaction with a guard. Retries conflicts until the commit is made, or turns out to be made: the
 * answer of an earlier try was lost.
 *
 * @param additions Netted: one for each target.
 * @throws {LapidaryError} `unavailable` when others' writes keep conflicting; `unprocessable` when a projection can't say
 * what to write. DynamoDB's own refusals pass through, see {@link isRefusal}.
 */
export function commit(table: TableClient, guard: Guard, additions: readonly Addition[]): Promise<'written' | 'spent'> {
  const gaveUp = (): never => {
    throw new LapidaryError(
      'unavailable',
      `other writes kept conflicting with the derived data of ${guard.name}; it is tried again from its checkpoint`,
    )
  }
  const work = { kind: 'commit', table: table.tableName, writes: guard.writes.length + additions.length } as const
  const make = (): Promise<'written' | 'spent'> =>
    retrying<'written' | 'spent'>(table, { most: MAX_CONFLICTS, steadyFrom: 4, gaveUp }, async () => {
      const before = await readTargets(
        table,
        additions.map(({ target }) => target),
      )
      const writes = additions.map((addition) => writeOf(table, addition, before.get(targetId(addition.target))))
      try {
        await transactWrites(table, [...guard.writes, ...writes], { ReturnConsumedCapacity: 'TOTAL' })
        return 'written'
      } catch (error) {
        if (isRefusal(error) || !isUnsettled(error)) throw error
        return (await guard.isSpent()) ? 'spent' : new Again()
      }
    })
  return table.observe(work, make, (outcome) => ({ outcome }))
}

/** Whether a write, or what was made of it, will not be taken however often it is tried. */
export function isRefusal(error: unknown): boolean {
  const meaning = meaningOf(error)
  if (meaning === 'refused' || meaning === 'partition full') return true
  return error instanceof LapidaryError && error.code === 'unprocessable'
}

function writeOf(
  { tableName }: TableClient,
  { projection, target, amounts, at }: Addition,
  before: Entry | undefined,
): TransactWriteItem {
  try {
    return guardedWrite(tableName, target, before, fold(projection, target, before, amounts, at))
  } catch (error) {
    throw new LapidaryError('unprocessable', `${projection.name} can't be written: ${String(error)}`, { cause: error })
  }
}

async function readTargets(table: TableClient, targets: readonly TargetKey[]): Promise<Map<string, Entry>> {
  const gaveUp = (left: number, tries: number): never => {
    throw new LapidaryError(
      'unavailable',
      `DynamoDB left ${left} of ${targets.length} items of derived data unread ${tries} times in a row`,
    )
  }
  const entries = await readEntries(table, targets.map(keyEntry), gaveUp)
  return new Map(entries.map((entry) => [targetId(plainKeyOf(entry)), entry]))
}
