import { type AttributeValue, GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import type { TargetKey } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import type { TableClient } from '../table/table-client.ts'
import { unmarkCountsComplete } from './counted-mark.ts'
import { ifOwner, updateIf } from './lease.ts'

/** How far a shard is processed, and who may process it. Kept in the table, under keys that no collection can have. */
export interface Checkpoint {
  /** Whether a process ever had the shard. */
  readonly known: boolean
  /** The last sequence number whose derived data is written; undefined before the first. */
  readonly sequenceNumber: string | undefined
  readonly owner: string | undefined
  /** When the owner's lease ends, in milliseconds since 1970. */
  readonly leasedUntil: number
  /** The shard is closed and processed to its end. */
  readonly finished: boolean
  /** Records were trimmed before they were read: counts need a rebuild. */
  readonly gap: boolean
  /** How often that happened, so that a rebuild clears only the gaps that it knew of. */
  readonly gaps: number
  /** A Lambda moved it last. */
  readonly byLambda: boolean
}

export const CHECKPOINT_SORT_KEY = '~'

export function checkpointKey(shardId: string): TargetKey {
  return { PK: `~STREAM#${shardId}`, SK: CHECKPOINT_SORT_KEY }
}

export async function readCheckpoint(table: TableClient, shardId: string): Promise<Checkpoint> {
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: keyEntry(checkpointKey(shardId)), ConsistentRead: true }),
  )
  return checkpointOf(Item)
}

export function checkpointOf(entry: Entry | undefined): Checkpoint {
  return {
    known: entry !== undefined,
    sequenceNumber: entry?.sequenceNumber?.S,
    owner: entry?.owner?.S,
    leasedUntil: Number(entry?.leasedUntil?.N ?? 0),
    finished: entry?.finished?.BOOL ?? false,
    gap: entry?.gap?.BOOL ?? false,
    gaps: Number(entry?.gaps?.N ?? 0),
    byLambda: entry?.lambda?.S !== undefined && entry.lambda.S === entry.sequenceNumber?.S,
  }
}

/** The part of a batch's transaction that moves the checkpoint, and refuses when it was moved or the lease was lost. */
export function checkpointMove(
  table: TableClient,
  shardId: string,
  owner: string | undefined,
  from: string | undefined,
  to: string,
): TransactWriteItem {
  const conditions = [from === undefined ? 'attribute_not_exists(#seq)' : '#seq = :from']
  const values: Record<string, AttributeValue> = { ':to': { S: to } }
  const names: Record<string, string> = { '#seq': 'sequenceNumber' }
  if (from !== undefined) values[':from'] = { S: from }
  if (owner !== undefined) {
    conditions.push('#owner = :owner')
    names['#owner'] = 'owner'
    values[':owner'] = { S: owner }
  }
  return {
    Update: {
      TableName: table.tableName,
      Key: keyEntry(checkpointKey(shardId)),
      UpdateExpression: owner === undefined ? 'SET #seq = :to, lambda = :to' : 'SET #seq = :to',
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
  }
}

/** No process asks for the checkpoint of a shard that the stream has forgotten, a day after it was closed. */
const FINISHED_SECONDS = 7 * 86_400

/** Marks a closed shard as processed to its end; its children may begin. False when the lease was lost. */
export async function finishShard(table: TableClient, shardId: string, owner: string, now: number): Promise<boolean> {
  return updateIf(
    table,
    checkpointKey(shardId),
    ifOwner(owner, {
      UpdateExpression: 'SET finished = :yes, #ttl = :expires REMOVE #owner, leasedUntil',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: {
        ':yes': { BOOL: true },
        ':expires': { N: String(Math.floor(now / 1000) + FINISHED_SECONDS) },
      },
    }),
  )
}

/** Notes that records were lost to the stream's retention: the counts are complete no more, until they are rebuilt. */
export async function noteGap(table: TableClient, shardId: string, owner: string | undefined): Promise<void> {
  await unmarkCountsComplete(table)
  const note = {
    UpdateExpression: 'SET gap = :yes ADD gaps :one',
    ExpressionAttributeValues: { ':yes': { BOOL: true }, ':one': { N: '1' } },
  }
  await updateIf(table, checkpointKey(shardId), owner === undefined ? note : ifOwner(owner, note))
}

/** Takes back what {@link noteGap} noted, once the counts are right again; not when records were lost since. */
export async function clearGap(table: TableClient, shardId: string, gaps: number): Promise<boolean> {
  return updateIf(table, checkpointKey(shardId), {
    UpdateExpression: 'REMOVE gap',
    ConditionExpression: gaps === 0 ? 'attribute_not_exists(gaps)' : 'gaps = :gaps',
    ExpressionAttributeValues: gaps === 0 ? undefined : { ':gaps': { N: String(gaps) } },
  })
}
