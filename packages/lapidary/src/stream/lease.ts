import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/projection.ts'
import { LapidaryError } from '../model/errors.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/** The right of one process to something, for a time; kept in an item of the table, which may hold more. */
export interface Lease {
  readonly owner: string
  /** Takes the lease or renews it. False when another process has it. */
  renew(): Promise<boolean>
  /** Renews it when half of its time is over. */
  keep(): Promise<boolean>
  /** Gives it back, so that another process need not wait for its end. */
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly key: TargetKey
  /** Who asks. Unique. */
  readonly owner: string
  /** Milliseconds after which another process may take over from one that died. */
  readonly leaseMs: number
  readonly clock: () => number
}

/** An update of an item on a condition. */
export interface ConditionalUpdate {
  readonly UpdateExpression: string
  readonly ConditionExpression?: string
  readonly ExpressionAttributeNames?: Record<string, string>
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined
}

export function leaseOf(table: TableClient, { key, owner, leaseMs, clock }: LeaseOptions): Lease {
  let renewAt = 0
  const renew = async (): Promise<boolean> => {
    const now = clock()
    const kept = await updateIf(table, key, {
      UpdateExpression: 'SET #owner = :owner, leasedUntil = :until',
      // A process that still counts a shard which was finished meanwhile does not get it back.
      ConditionExpression:
        'attribute_not_exists(finished) AND (attribute_not_exists(#owner) OR #owner = :owner OR leasedUntil < :now)',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: {
        ':owner': { S: owner },
        ':until': { N: String(now + leaseMs) },
        ':now': { N: String(now) },
      },
    })
    if (kept) renewAt = now + leaseMs / 2
    return kept
  }
  return {
    owner,
    renew,
    keep: async () => clock() <= renewAt || renew(),
    async release() {
      await updateIf(table, key, ifOwner(owner, { UpdateExpression: 'REMOVE #owner, leasedUntil' }))
    },
  }
}

/**
 * Takes a lease and renews it until it is disposed of. One that its holder does not renew is taken over at its end, so that a process that died holds
 * up the next for seconds.
 *
 * @param what What it is a lease on, for messages.
 * @throws {LapidaryError} `unavailable`, naming the holder, who is at work.
 */
export async function holdLease(
  table: TableClient,
  options: LeaseOptions,
  what: string,
  onLost: (error: LapidaryError) => void,
): Promise<AsyncDisposable> {
  const { key, leaseMs } = options
  const lease = leaseOf(table, options)
  const first = await holderOf(table, key)
  while (!(await lease.renew())) {
    const now = await holderOf(table, key)
    if (now.owner !== undefined && (first.owner !== now.owner || first.leasedUntil !== now.leasedUntil)) {
      throw new LapidaryError('unavailable', `${now.owner} is mending ${what}; wait until it is done`, {
        details: { holder: now.owner },
      })
    }
    await table.sleep(leaseMs / 12)
  }
  let renewing: Promise<void> = Promise.resolve()
  const renewal = setInterval(() => {
    renewing = lease
      .keep()
      .catch(() => true)
      .then((kept) => {
        if (!kept) onLost(new LapidaryError('unavailable', `the lease on ${what} was lost; run it again`))
      })
  }, leaseMs / 6)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      await renewing
      await lease.release().catch(() => undefined)
    },
  }
}

/** An update that only the owner of a lease may make. */
export function ifOwner(owner: string, update: ConditionalUpdate): ConditionalUpdate {
  const { ConditionExpression: condition } = update
  return {
    ...update,
    ConditionExpression: condition === undefined ? '#owner = :owner' : `${condition} AND #owner = :owner`,
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, '#owner': 'owner' },
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':owner': { S: owner } },
  }
}

/** False when the condition does not hold. */
export async function updateIf(table: TableClient, key: TargetKey, update: ConditionalUpdate): Promise<boolean> {
  try {
    await table.send(new UpdateItemCommand({ TableName: table.tableName, Key: keyEntry(key), ...update }))
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}

async function holderOf(
  table: TableClient,
  key: TargetKey,
): Promise<{ readonly owner: string | undefined; readonly leasedUntil: number }> {
  const { owner, leasedUntil } = (await readEntry(table, keyEntry(key))) ?? {}
  return { owner: owner?.S, leasedUntil: Number(leasedUntil?.N ?? 0) }
}
