import {
  type AttributeValue,
  BatchGetItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import { type CountingProjection, type NetContribution, type TargetKey, targetId } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { jitteredDelay, type TableClient } from '../table/table-client.ts'
import { cancellationCodes } from '../table/transaction.ts'

/** What makes a commit happen once: a write in its transaction that is refused the second time. */
export interface Guard {
  /** What is guarded, for messages. */
  readonly name: string
  readonly write: TransactWriteItem
  /**
   * Asked after a try without a clear answer: whether this commit, or another in its place, was made.
   *
   * @throws {LapidaryError} `unavailable` when it is no longer ours to make.
   */
  isSpent(): Promise<boolean>
}

/** What is written in one transaction with its guard. */
export interface Commit {
  readonly net: readonly { readonly projection: CountingProjection; readonly targets: readonly NetContribution[] }[]
  readonly others: readonly TransactWriteItem[]
}

const MAX_CONFLICTS = 30
const MAX_UNPROCESSED = 10

/**
 * Retries conflicts until the commit is made, or turns out to be made: the answer of an earlier try was lost.
 *
 * @throws {LapidaryError} `unavailable` when others' writes keep conflicting; `unprocessable` when a projection can't say
 * what to write. DynamoDB's own refusals pass through, see {@link isRefusal}.
 */
export async function commit(table: TableClient, guard: Guard, { net, others }: Commit): Promise<'written' | 'spent'> {
  for (let attempt = 1; ; attempt++) {
    const before = await readTargets(
      table,
      net.flatMap(({ targets }) => targets.map(({ target }) => target)),
    )
    const writes = net.flatMap(({ projection, targets }) =>
      targets.flatMap((target) => writesOf(projection, target, before.get(targetId(target.target)))),
    )
    const outcome = await transact(table, guard, [...writes, ...others])
    if (outcome !== 'conflict') return outcome
    if (attempt >= MAX_CONFLICTS) {
      throw new LapidaryError(
        'unavailable',
        `other writes kept conflicting with the derived data of ${guard.name}; it is tried again from its checkpoint`,
      )
    }
    await table.sleep(jitteredDelay(Math.min(attempt, 4), table.random))
  }
}

/** One try of a guarded transaction. */
export async function transact(
  table: TableClient,
  guard: Guard,
  writes: readonly TransactWriteItem[],
): Promise<'written' | 'spent' | 'conflict'> {
  try {
    await table.send(new TransactWriteItemsCommand({ TransactItems: [guard.write, ...writes] }))
    return 'written'
  } catch (error) {
    if (isRefusal(error) || !isUncertain(error)) throw error
    return (await guard.isSpent()) ? 'spent' : 'conflict'
  }
}

/** Whether a write, or what was made of it, will not be taken however often it is tried. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof LapidaryError) return error.code === 'unprocessable'
  if (!(error instanceof Error)) return false
  return error.name === 'ValidationException' || cancellationCodes(error).includes('ValidationError')
}

/** Canceled, or done although no answer came: only what the table holds can tell. */
function isUncertain(error: unknown): boolean {
  if (error instanceof LapidaryError) return error.code === 'unavailable'
  if (!(error instanceof Error)) return false
  if (cancellationCodes(error).length > 0 || error.name === 'TransactionInProgressException') return true
  return typeof (error as { code?: unknown }).code === 'string'
}

function writesOf(
  projection: CountingProjection,
  net: NetContribution,
  before: Entry | undefined,
): readonly TransactWriteItem[] {
  try {
    return projection.writes(net, before)
  } catch (error) {
    throw new LapidaryError('unprocessable', `${projection.name} can't be written: ${String(error)}`, { cause: error })
  }
}

async function readTargets(table: TableClient, targets: readonly TargetKey[]): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>()
  let keys: Record<string, AttributeValue>[] = targets.map(keyEntry)
  for (let attempt = 1; keys.length > 0; attempt++) {
    const { Responses, UnprocessedKeys } = await table.send(
      new BatchGetItemCommand({ RequestItems: { [table.tableName]: { Keys: keys, ConsistentRead: true } } }),
    )
    for (const entry of Responses?.[table.tableName] ?? []) {
      found.set(targetId({ PK: entry.PK?.S ?? '', SK: entry.SK?.S ?? '' }), entry)
    }
    keys = UnprocessedKeys?.[table.tableName]?.Keys ?? []
    if (keys.length === 0) break
    if (attempt >= MAX_UNPROCESSED) {
      throw new LapidaryError(
        'unavailable',
        `DynamoDB left ${keys.length} of ${targets.length} items of derived data unread ${attempt} times in a row`,
      )
    }
    await table.sleep(jitteredDelay(attempt, table.random))
  }
  return found
}
