import { GetItemCommand, type TransactWriteItem, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import { LapidaryError } from '../model/errors.ts'
import type { TableClient } from '../table/table-client.ts'

const KEY = keyEntry({ PK: '~MAINTENANCE#statistics', SK: '~' })

/** The right to mend statistics: one process at a time has it. */
export interface MaintenanceLease extends AsyncDisposable {
  /** A part of a transaction, which it refuses when the lease went to somebody else meanwhile. */
  readonly fence: TransactWriteItem
}

export interface LeaseOptions {
  /** Who asks, for whoever is refused. Unique. */
  readonly owner: string
  /** Milliseconds after which somebody else may take over from a process that died. */
  readonly leaseMs: number
  readonly clock: () => number
  /** Told when the lease was lost. */
  readonly onLost: (error: LapidaryError) => void
}

/**
 * Takes the lease. One that its holder does not renew is taken over at its end, so that a process that died holds up the
 * next for seconds.
 *
 * @throws {LapidaryError} `unavailable`, naming the holder, who is at work.
 */
export async function takeMaintenanceLease(
  table: TableClient,
  { owner, leaseMs, clock, onLost }: LeaseOptions,
): Promise<MaintenanceLease> {
  const held = await holder(table)
  while (!(await acquire(table, owner, clock(), leaseMs))) {
    const now = await holder(table)
    if (now.owner !== undefined && (held.owner !== now.owner || held.leasedUntil !== now.leasedUntil)) {
      throw new LapidaryError('unavailable', `${now.owner} is mending these statistics; wait until it is done`, {
        details: { holder: now.owner },
      })
    }
    await table.sleep(leaseMs / 12)
  }
  let renewing: Promise<void> = Promise.resolve()
  const renewal = setInterval(() => {
    renewing = acquire(table, owner, clock(), leaseMs)
      .catch(() => true)
      .then((kept) => {
        if (!kept) onLost(new LapidaryError('unavailable', 'the lease on these statistics was lost; run it again'))
      })
  }, leaseMs / 3)
  return {
    fence: {
      ConditionCheck: {
        TableName: table.tableName,
        Key: KEY,
        ConditionExpression: '#owner = :owner',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':owner': { S: owner } },
      },
    },
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      await renewing
      await update(table, owner, 'REMOVE #owner, leasedUntil', '#owner = :owner', {}).catch(() => false)
    },
  }
}

function acquire(table: TableClient, owner: string, now: number, leaseMs: number): Promise<boolean> {
  return update(
    table,
    owner,
    'SET #owner = :owner, leasedUntil = :until',
    'attribute_not_exists(#owner) OR #owner = :owner OR leasedUntil < :now',
    { ':until': { N: String(now + leaseMs) }, ':now': { N: String(now) } },
  )
}

async function holder(table: TableClient): Promise<{ owner: string | undefined; leasedUntil: number }> {
  const { Item } = await table.send(new GetItemCommand({ TableName: table.tableName, Key: KEY, ConsistentRead: true }))
  return { owner: Item?.owner?.S, leasedUntil: Number(Item?.leasedUntil?.N ?? 0) }
}

async function update(
  table: TableClient,
  owner: string,
  UpdateExpression: string,
  ConditionExpression: string,
  values: Record<string, { N: string }>,
): Promise<boolean> {
  try {
    await table.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: KEY,
        UpdateExpression,
        ConditionExpression,
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':owner': { S: owner }, ...values },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
