import { randomUUID } from 'node:crypto'
import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../model/errors.ts'
import { leaderboardWrite } from '../projections/leaderboard.ts'
import { isCounter } from '../projections/statistics-shape.ts'
import { guardedWrite, keyEntry, REVISION, unchangedSince } from '../streams/guarded-write.ts'
import { targetId } from '../streams/projection.ts'
import type { Entry } from '../table/entry.ts'
import { jitteredDelay, type TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'
import { type CapacityBudget, requestShare } from './capacity-budget.ts'
import { sumOf, takeCut, unitKeys } from './cut.ts'
import { type Counts, heldText } from './statistics-unit.ts'
import type { Unit } from './tally.ts'

/** A unit with what has to be added to its counters, whatever they are by now. */
export interface Correction {
  readonly unit: Unit
  readonly delta: Counts
  /** For counters that are made anew: up to when they are counted, in milliseconds since 1970. */
  readonly at: number
}

export interface MendContext {
  readonly table: TableClient
  readonly budget: CapacityBudget
  readonly fence: TransactWriteItem
  readonly signal: AbortSignal
}

/** WCU of an item of up to 1 KB in a transaction, with the entry of a leaderboard in an index every other time. */
const WRITE_UNITS = 3
const MOST_WRITES = 100
const MAX_CONFLICTS = 60

/** What has to be added to a statistics item so that it holds these counts. A counter that is no number counts as 0. */
export function correctionOf(counts: Counts, actual: Entry | undefined): Counts {
  const names = new Set([...Object.keys(counts), ...Object.keys(actual ?? {}).filter(isCounter)])
  return Object.fromEntries([...names].map((name) => [name, (counts[name] ?? 0) - Number(actual?.[name]?.N ?? 0)]))
}

/**
 * Adds corrections, many units in a transaction. First to what the cut found; a unit that changed since is read anew and
 * corrected by the same amount, which is right whatever the runner added meanwhile.
 *
 * @returns Units of which the answer was lost: whether they are corrected only another cut can tell.
 */
export async function mend(
  context: MendContext,
  corrections: readonly Correction[],
  entries: ReadonlyMap<string, Entry>,
): Promise<readonly Unit[]> {
  const unsure: Unit[] = []
  for (const group of groups(corrections, requestShare(context.budget) / WRITE_UNITS)) {
    const writes = group.flatMap((correction) => writesOf(context.table, correction, entries, false))
    const outcome = await send(context, writes)
    if (outcome === 'unsure') unsure.push(...group.map(({ unit }) => unit))
    if (outcome !== 'refused') continue
    for (const correction of group) {
      if (!(await mendOne(context, correction))) unsure.push(correction.unit)
    }
  }
  return unsure
}

async function mendOne(context: MendContext, correction: Correction): Promise<boolean> {
  const { table } = context
  for (let attempt = 1; ; attempt++) {
    const entries = await readUnit(context, correction.unit)
    const outcome = await send(context, writesOf(table, correction, entries, true))
    if (outcome !== 'refused') return outcome === 'written'
    if (attempt >= MAX_CONFLICTS) {
      const { PK, SK } = correction.unit.target
      throw new LapidaryError(
        'unavailable',
        `other writes kept conflicting with the repair of ${PK} ${SK}; run it again`,
      )
    }
    await table.sleep(jitteredDelay(Math.min(attempt, 3), table.random))
  }
}

async function send(
  { table, budget, fence, signal }: MendContext,
  writes: readonly TransactWriteItem[],
): Promise<'written' | 'refused' | 'unsure'> {
  const reserved = writes.length * WRITE_UNITS
  await budget.reserve(reserved, signal)
  signal.throwIfAborted()
  try {
    const { ConsumedCapacity } = await table.send(
      new TransactWriteItemsCommand({ TransactItems: [fence, ...writes], ReturnConsumedCapacity: 'TOTAL' }),
    )
    budget.settle(reserved, sumOf(ConsumedCapacity))
    return 'written'
  } catch (error) {
    const codes = cancellationCodes(error)
    if (codes[0] === 'ConditionalCheckFailed') {
      throw new LapidaryError('unavailable', 'another process took over the mending of these statistics', {
        cause: error,
      })
    }
    if (codes.includes('ValidationError') || (error instanceof Error && error.name === 'ValidationException'))
      throw error
    return codes.length > 0 ? 'refused' : 'unsure'
  }
}

/** The statistics item only where it has to change, else a check that it did not; and the leaderboard items that follow. */
function writesOf(
  { tableName: TableName }: TableClient,
  { unit, delta, at }: Correction,
  entries: ReadonlyMap<string, Entry>,
  all: boolean,
): readonly TransactWriteItem[] {
  const { derived, target } = unit
  const before = entries.get(targetId(target))
  const added = derived.added(before, delta, before?.asOf === undefined ? at : 0)
  const isChanged =
    heldText(target, before) !== heldText(target, added) || (before === undefined) !== (added === undefined)
  const leaderboards = derived.leaderboards(target, added)
  const followers = unitKeys(unit)
    .slice(1)
    .flatMap((key): readonly TransactWriteItem[] => {
      const entry = leaderboards.get(key.SK)
      const isRight = heldText(key, entry) === heldText(key, entries.get(targetId(key)))
      return isRight && !all ? [] : [leaderboardWrite(TableName, { key, entry })]
    })
  if (isChanged) return [withFreshRevision(guardedWrite(TableName, target, before, added)), ...followers]
  return [{ ConditionCheck: { TableName, Key: keyEntry(target), ...unchangedSince(before) } }, ...followers]
}

/**
 * A revision that nobody has read. The usual one, a digest of the content, is what an item had before it was spoilt by hand;
 * a write of the runner that read it spoilt would pass.
 */
function withFreshRevision(write: TransactWriteItem): TransactWriteItem {
  if (write.Put?.Item === undefined) return write
  return { Put: { ...write.Put, Item: { ...write.Put.Item, [REVISION]: { S: randomUUID() } } } }
}

async function readUnit({ table, budget, signal }: MendContext, unit: Unit): Promise<ReadonlyMap<string, Entry>> {
  return (await takeCut(table, [], [unit], budget, signal)).entries
}

function groups(corrections: readonly Correction[], most: number): readonly Correction[][] {
  const made: Correction[][] = []
  let room = 0
  for (const correction of corrections) {
    const items = unitKeys(correction.unit).length
    if (items > room) {
      made.push([])
      room = Math.min(MOST_WRITES - 1, Math.max(items, most))
    }
    made.at(-1)?.push(correction)
    room -= items
  }
  return made
}
