import { type Update, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/** The right of one process to something, for a time; kept in an item of the table, which may hold more. */
export interface Lease {
  readonly owner: string
  /**
   * Takes the lease or renews it. False when another process has it.
   *
   * @param dead The lease of a process that has died, which is taken whatever time it says.
   */
  renew(dead?: HeldLease): Promise<boolean>
  /** Renews it when half of its time is over. */
  keep(): Promise<boolean>
  /** Gives it back, so that another process need not wait for its end. */
  release(): Promise<void>
}

/** A lease as the table tells of it. */
export interface HeldLease {
  readonly owner: string | undefined
  /** When it ends, in milliseconds since 1970 by its owner's clock. */
  readonly leasedUntil: number
  /** For how long it is; undefined where an older version has it. */
  readonly leaseMs: number | undefined
}

export interface LeaseOptions {
  readonly key: TargetKey
  /** Who asks. Unique. */
  readonly owner: string
  /** Milliseconds after which another process may take over from one that died. */
  readonly leaseMs: number
  readonly clock: () => number
}

/** An update of an item, on a condition where it has one. */
export type ConditionalUpdate = Omit<Update, 'TableName' | 'Key'>

export function leaseOf(table: TableClient, { key, owner, leaseMs, clock }: LeaseOptions): Lease {
  let renewAt = 0
  const renew = async (dead?: HeldLease): Promise<boolean> => {
    const now = clock()
    const kept = await updateIf(table, key, {
      UpdateExpression: 'SET #owner = :owner, leasedUntil = :until, leaseMs = :for',
      // A process that still counts a shard which was finished meanwhile does not get it back.
      ConditionExpression:
        'attribute_not_exists(finished) AND (attribute_not_exists(#owner) OR #owner = :owner OR leasedUntil < :now OR (#owner = :dead AND leasedUntil = :ended))',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: {
        ':owner': { S: owner },
        ':until': { N: String(now + leaseMs) },
        ':for': { N: String(leaseMs) },
        ':now': { N: String(now) },
        ':dead': { S: dead?.owner ?? owner },
        ':ended': { N: String(dead?.leasedUntil ?? 0) },
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
      await updateIf(table, key, ifOwner(owner, { UpdateExpression: 'REMOVE #owner, leasedUntil, leaseMs' }))
    },
  }
}

/**
 * Takes a lease and renews it until it is disposed of. One that its holder does not renew is taken over at its end, so that a process that died holds
 * up the next for seconds, whatever its clock was.
 *
 * @param what What it is a lease on, for messages.
 * @throws {LapidaryError} `unavailable`, naming the holder, who is at work; `aborted`.
 */
export async function holdLease(
  table: TableClient,
  options: LeaseOptions & { readonly signal?: AbortSignal | undefined },
  what: string,
  onLost: (error: LapidaryError) => void,
): Promise<AsyncDisposable> {
  const { key, leaseMs, clock, signal } = options
  const lease = leaseOf(table, options)
  const isDead = watchLeases(clock)
  const first = await holderOf(table, key)
  for (let now = first; !(await lease.renew(isDead('', now) ? now : undefined)); ) {
    if (signal?.aborted === true) throw new LapidaryError('aborted', 'it was stopped; run it again to go on')
    now = await holderOf(table, key)
    if (now.owner !== undefined && (first.owner !== now.owner || first.leasedUntil !== now.leasedUntil)) {
      throw new LapidaryError('unavailable', `${now.owner} is mending ${what}; wait until it is done`, {
        details: { holder: now.owner },
      })
    }
    await table.sleep(leaseMs / 12)
  }
  let renewing: Promise<void> | undefined
  const renewal = setInterval(() => {
    // One at a time: renewals would pile up where the table is slow, and one could land after the lease was given back.
    renewing ??= lease
      .keep()
      .catch(() => true)
      .then((kept) => {
        renewing = undefined
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

/**
 * Tells which of the leases that it is shown again and again are of processes that died: one that stands as it is for as long as it was
 * given. Who lives renews it before, whatever time its clock has.
 */
export function watchLeases(clock: () => number): (id: string, held: HeldLease) => boolean {
  const seen = new Map<string, { readonly text: string; readonly since: number }>()
  return (id, { owner, leasedUntil, leaseMs = Number.POSITIVE_INFINITY }) => {
    const [text, now] = [`${owner} ${leasedUntil}`, clock()]
    const known = seen.get(id)
    if (known?.text === text && now >= known.since) return now - known.since > leaseMs
    seen.set(id, { text, since: now })
    return false
  }
}

/** An update that only the owner of a lease may make; that any process may make where there is none. */
export function ifOwner(owner: string | undefined, update: ConditionalUpdate): ConditionalUpdate {
  if (owner === undefined) return update
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
    if (meaningOf(error) === 'condition') return false
    throw error
  }
}

async function holderOf(table: TableClient, key: TargetKey): Promise<HeldLease> {
  return heldLeaseOf(await readEntry(table, keyEntry(key)))
}

export function heldLeaseOf(entry: Entry | undefined): HeldLease {
  const { owner, leasedUntil, leaseMs } = entry ?? {}
  return {
    owner: owner?.S,
    leasedUntil: Number(leasedUntil?.N ?? 0),
    leaseMs: leaseMs?.N === undefined ? undefined : Number(leaseMs.N),
  }
}
