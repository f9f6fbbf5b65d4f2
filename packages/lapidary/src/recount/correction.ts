import { randomUUID } from 'node:crypto'
import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { fold, heldText } from '../derived/derived-item.ts'
import { guardedWrite, REVISION } from '../derived/guarded-write.ts'
import { type Amounts, sumOf, targetId } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { Again, retrying } from '../table/retrying.ts'
import type { TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'
import { type CapacityBudget, requestShare, unitsOf } from './capacity-budget.ts'
import { inGroups, takeCut } from './cut.ts'
import type { Target } from './tally.ts'

/** A derived item with what has to be added to it, whatever it holds by now. */
export interface Correction {
  readonly target: Target
  readonly amounts: Amounts
  /** For an item that is made anew: up to when it is counted, in milliseconds since 1970. */
  readonly at: number
}

export interface MendContext {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly fence: TransactWriteItem
  readonly signal: AbortSignal
}

/** WCU of an item of up to 1 KB in a transaction, every other one with an entry in an index. */
const WRITE_UNITS = 3
/** DynamoDB's cap on the items of a transaction, less the fence. */
const MOST_WRITES = 99
const MAX_CONFLICTS = 60

/** What has to be added to an item so that it holds these amounts. */
export function correctionOf(target: Target, amounts: Amounts, actual: Entry | undefined, at: number): Correction {
  const held = actual === undefined ? {} : target.projection.amountsOf(actual)
  return { target, amounts: sumOf(amounts, held, -1), at }
}

/**
 * Adds corrections, many in a transaction. First to what the cut found; an item that changed since is read anew and corrected
 * by the same amounts, which is right whatever the runner added meanwhile.
 *
 * @returns Items of which the answer was lost: whether they are corrected only another cut can tell.
 */
export async function mend(
  context: MendContext,
  corrections: readonly Correction[],
  entries: ReadonlyMap<string, Entry>,
): Promise<readonly Target[]> {
  const unsure: Target[] = []
  for (const group of inGroups(corrections, MOST_WRITES, requestShare(context.budget) / WRITE_UNITS)) {
    const outcome = await send(context, writesOf(context.table, group, entries))
    if (outcome === 'unsure') unsure.push(...group.map(({ target }) => target))
    if (outcome !== 'refused') continue
    for (const correction of group) {
      if ((await mendOne(context, correction)) === 'unsure') unsure.push(correction.target)
    }
  }
  return unsure
}

function mendOne(context: MendContext, correction: Correction): Promise<'written' | 'unsure'> {
  const { table, budget, signal } = context
  const { target } = correction
  const gaveUp = (): never => {
    throw new LapidaryError(
      'unavailable',
      `other writes kept conflicting with the repair of ${target.key.PK} ${target.key.SK}; run it again`,
    )
  }
  return retrying(table, { most: MAX_CONFLICTS, steadyFrom: 3, gaveUp }, async () => {
    const { entries } = await takeCut(table, [], [target], budget, signal)
    const outcome = await send(context, writesOf(table, [correction], entries))
    return outcome === 'refused' ? new Again() : outcome
  })
}

async function send(
  { table, budget, fence, signal }: MendContext,
  writes: readonly TransactWriteItem[],
): Promise<'written' | 'refused' | 'unsure'> {
  if (writes.length === 0) return 'written'
  const reserved = writes.length * WRITE_UNITS
  await budget.reserve(reserved, signal)
  signal.throwIfAborted()
  try {
    const { ConsumedCapacity } = await table.send(
      new TransactWriteItemsCommand({ TransactItems: [fence, ...writes], ReturnConsumedCapacity: 'TOTAL' }),
    )
    budget.settle(reserved, unitsOf(ConsumedCapacity))
    return 'written'
  } catch (error) {
    const codes = cancellationCodes(error)
    if (codes[0] === 'ConditionalCheckFailed') {
      throw new LapidaryError('unavailable', 'another process took over the mending of this derived data', {
        cause: error,
      })
    }
    if (codes.includes('ValidationError') || (error instanceof Error && error.name === 'ValidationException'))
      throw error
    return codes.length > 0 ? 'refused' : 'unsure'
  }
}

/** One write for each item that is not right already: the runner may have put it right by replacing it. */
function writesOf(
  { tableName }: TableClient,
  corrections: readonly Correction[],
  entries: ReadonlyMap<string, Entry>,
): readonly TransactWriteItem[] {
  return corrections.flatMap(({ target: { projection, key }, amounts, at }) => {
    const before = entries.get(targetId(key))
    const after = fold(projection, key, before, amounts, before === undefined ? at : 0)
    return heldText(before) === heldText(after) ? [] : [withFreshRevision(guardedWrite(tableName, key, before, after))]
  })
}

/**
 * A revision that no process has read. The usual one, a digest of the content, is what an item had before it was spoilt by
 * hand; a write of the runner that read it spoilt would pass.
 */
function withFreshRevision(write: TransactWriteItem): TransactWriteItem {
  if (write.Put?.Item === undefined) return write
  return { Put: { ...write.Put, Item: { ...write.Put.Item, [REVISION]: { S: randomUUID() } } } }
}
