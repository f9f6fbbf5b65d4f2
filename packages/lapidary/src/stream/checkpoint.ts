import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { keyEntry } from '../derived/guarded-write.ts'
import { noteLoss, REGISTER_KEY } from '../derived/register/derived-register.ts'
import { type TargetKey, targetId } from '../derived/target-key.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { plainKeyOf } from '../model/stored-item.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { readEntries, readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'
import { type ConditionalUpdate, type HeldLease, heldLeaseOf, ifOwner, updateIf } from './lease.ts'

/** How far a shard is processed, and who may process it. Kept in the table, under keys that no collection can have. */
export interface Checkpoint extends HeldLease {
  /** The last sequence number whose derived data is written; undefined before the first. */
  readonly sequenceNumber: string | undefined
  /** The shard is closed and processed to its end. */
  readonly finished: boolean
  /** Records were trimmed before they were read: counts need a repair. */
  readonly gap: boolean
  /** How often that happened, so that a rebuild clears only the gaps that it knew of. */
  readonly gaps: number
  /** A Lambda moved it last. */
  readonly byLambda: boolean
  /** Who has the lease, or had it, has read the shard to its end once, and counted that. */
  readonly isCaughtUp: boolean
  /** The revision of the register of derived data by which it is counted: who counts by another one is refused. 0 before the first. */
  readonly register: number
}

const CHECKPOINT_SORT_KEY = '~'

/** A table, and who follows its change stream: each follower has checkpoints of its own. */
export interface FollowedTable extends TableClient {
  /** Undefined for the runner that counts. */
  readonly follower?: string | undefined
}

const PARTITION = '~STREAM#'
const FOLLOWER_PARTITION = '~FOLLOWER#'

export function checkpointKey(shardId: string, follower?: string): TargetKey {
  const partition = follower === undefined ? `${PARTITION}${shardId}` : `${FOLLOWER_PARTITION}${follower}#${shardId}`
  return { PK: partition, SK: CHECKPOINT_SORT_KEY }
}

/** The shard of a checkpoint of the runner that counts; undefined for any other key. */
export function countedShard(partition: string): string | undefined {
  return partition.startsWith(PARTITION) ? partition.slice(PARTITION.length) : undefined
}

/** The shard of a checkpoint of a follower; undefined for any other key. */
export function followedShard(partition: string, follower: string): string | undefined {
  const prefix = `${FOLLOWER_PARTITION}${follower}#`
  return partition.startsWith(prefix) ? partition.slice(prefix.length) : undefined
}

export async function readCheckpoint(table: FollowedTable, shardId: string): Promise<Checkpoint> {
  return checkpointOf(await readEntry(table, keyEntry(checkpointKey(shardId, table.follower))))
}

/** DynamoDB's cap on the keys of a batch. */
const MOST_READ = 100

function unread(left: number, tries: number): never {
  throw new LapidaryError('unavailable', `DynamoDB left ${left} checkpoints unread ${tries} times in a row`)
}

export async function readCheckpoints(
  table: FollowedTable,
  shards: readonly { readonly shardId: string }[],
): Promise<ReadonlyMap<string, Checkpoint>> {
  const keyOf = (shardId: string): TargetKey => checkpointKey(shardId, table.follower)
  const keys = [...new Set(shards.map(({ shardId }) => shardId))].map(keyOf)
  const entries = new Map<string, Entry>()
  for (let read = 0; read < keys.length; read += MOST_READ) {
    for (const entry of await readEntries(table, keys.slice(read, read + MOST_READ).map(keyEntry), unread)) {
      entries.set(targetId(plainKeyOf(entry)), entry)
    }
  }
  return new Map(shards.map(({ shardId }) => [shardId, checkpointOf(entries.get(targetId(keyOf(shardId))))]))
}

export function checkpointOf(entry: Entry | undefined): Checkpoint {
  return {
    ...heldLeaseOf(entry),
    sequenceNumber: entry?.sequenceNumber?.S,
    finished: entry?.finished?.BOOL ?? false,
    gap: entry?.gap?.BOOL ?? false,
    gaps: Number(entry?.gaps?.N ?? 0),
    byLambda: entry?.lambda?.S !== undefined && entry.lambda.S === entry.sequenceNumber?.S,
    isCaughtUp: entry?.caughtUpAt !== undefined,
    register: Number(entry?.register?.N ?? 0),
  }
}

/** Notes that a shard is counted to where the stream ended, for the processes that have the other shards. False when its lease was lost. */
export async function noteCaughtUp(table: FollowedTable, shardId: string, owner: string, at: number): Promise<boolean> {
  const update = { UpdateExpression: 'SET caughtUpAt = :at', ExpressionAttributeValues: { ':at': { N: String(at) } } }
  return updateIf(table, checkpointKey(shardId, table.follower), ifOwner(owner, update))
}

/**
 * The part of a transaction that moves an attribute of a leased item, and refuses when it was moved or the lease was lost; without a
 * lease, when a shard was finished, as the end of its counting takes the lease away, and notes that a Lambda moved it.
 */
export function moveOf(
  { tableName }: TableClient,
  key: TargetKey,
  attribute: 'sequenceNumber' | 'turn',
  owner: string | undefined,
  from: string | undefined,
  to: string,
  register?: number,
): TransactWriteItem {
  const unmoved = from === undefined ? 'attribute_not_exists(#moved)' : '#moved = :from'
  const isOurs = owner === undefined ? `${unmoved} AND attribute_not_exists(finished)` : unmoved
  const update: ConditionalUpdate = {
    UpdateExpression: owner === undefined ? 'SET #moved = :to, lambda = :to' : 'SET #moved = :to',
    ConditionExpression: isOurs,
    ExpressionAttributeNames: { '#moved': attribute },
    ExpressionAttributeValues: { ':to': { S: to }, ...(from === undefined ? {} : { ':from': { S: from } }) },
  }
  return {
    Update: { TableName: tableName, Key: keyEntry(key), ...ifOwner(owner, ifRegister(register, update)) },
  }
}

/** Moves a checkpoint, in the transaction that counts the changes up to it. */
export function checkpointMove(
  table: FollowedTable,
  shardId: string,
  owner: string | undefined,
  from: string | undefined,
  to: string,
  register: number | undefined,
): TransactWriteItem {
  return moveOf(table, checkpointKey(shardId, table.follower), 'sequenceNumber', owner, from, to, register)
}

/** An update that is refused where the checkpoint is counted by another revision of the register; undefined where none is asked for. */
function ifRegister(register: number | undefined, update: ConditionalUpdate): ConditionalUpdate {
  if (register === undefined) return update
  const { ConditionExpression: condition } = update
  return {
    ...update,
    ConditionExpression: condition === undefined ? '#register = :register' : `${condition} AND #register = :register`,
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, '#register': 'register' },
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':register': { N: String(register) } },
  }
}

/**
 * Has a shard counted by a revision of the register, as the register is at that moment.
 *
 * @returns False where it is another one by now, or the lease was lost.
 */
export async function adoptRevision(
  table: FollowedTable,
  shardId: string,
  owner: string | undefined,
  register: number,
): Promise<boolean> {
  const raised = { ...raiseTo(register), TableName: table.tableName, Key: keyEntry(checkpointKey(shardId)) }
  const isCurrent: TransactWriteItem = {
    ConditionCheck: {
      TableName: table.tableName,
      Key: keyEntry(REGISTER_KEY),
      ConditionExpression: 'revision = :register',
      ExpressionAttributeValues: { ':register': { N: String(register) } },
    },
  }
  try {
    await table.send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Update: { ...raised, ...ifOwner(owner, raised) } }, isCurrent],
      }),
    )
    return true
  } catch (error) {
    if (!['condition', 'conflict'].includes(meaningOf(error))) throw error
    return false
  }
}

/** Has a shard counted by no earlier revision of the register from now on: who counts by one is refused, and takes up the later one. */
export async function requireRevision(table: TableClient, shardId: string, register: number): Promise<void> {
  await updateIf(table, checkpointKey(shardId), raiseTo(register))
}

function raiseTo(register: number): ConditionalUpdate {
  return {
    UpdateExpression: 'SET #register = :register',
    ConditionExpression: '(attribute_not_exists(#register) OR #register <= :register)',
    ExpressionAttributeNames: { '#register': 'register' },
    ExpressionAttributeValues: { ':register': { N: String(register) } },
  }
}

/** No process asks for the checkpoint of a shard that the stream has forgotten, a day after it was closed. */
const FINISHED_SECONDS = 7 * 86_400

/** Who ends the counting of a shard, and why. */
interface ShardEnd {
  /** Who has its lease, and has counted it to its end; any process may end it when not given. */
  readonly owner?: string
  /** What it lost is made up for: no process has to find that any more. */
  readonly isMadeUpFor?: boolean
  /** The revision of the register by which it was counted to its end. */
  readonly register?: number | undefined
}

/**
 * Marks a shard as counted to its end: its children may begin, and a process that still counts it is refused from now on, since its lease is
 * gone. Of a stream that was switched off and of what a repair has counted nothing is to be counted any more.
 *
 * @returns False when the lease was lost.
 */
export async function endShard(
  table: FollowedTable,
  shardId: string,
  now: number,
  { owner, isMadeUpFor = false, register }: ShardEnd = {},
): Promise<boolean> {
  const isEnded = await updateIf(
    table,
    checkpointKey(shardId, table.follower),
    ifOwner(
      owner,
      ifRegister(register, {
        UpdateExpression: `SET finished = :yes REMOVE #owner, leasedUntil, leaseMs${isMadeUpFor ? ', gap' : ''}`,
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':yes': { BOOL: true } },
      }),
    ),
  )
  if (isEnded) await expireFinished(table, shardId, now)
  if (isEnded && isMadeUpFor) await forgetLoss(table, shardId)
  return isEnded
}

/** What a follower of its own lacks is of no other. */
async function forgetLoss(table: FollowedTable, shardId: string): Promise<void> {
  if (table.follower === undefined) await noteLoss(table, shardId, 'made up for')
}

/** What a shard has lost is noted until it is made up for. */
async function expireFinished(table: FollowedTable, shardId: string, now: number): Promise<void> {
  await updateIf(table, checkpointKey(shardId, table.follower), {
    UpdateExpression: 'SET #ttl = :expires',
    ConditionExpression: 'finished = :yes AND attribute_not_exists(gap)',
    ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
    ExpressionAttributeValues: {
      ':yes': { BOOL: true },
      ':expires': { N: String(Math.floor(now / 1000) + FINISHED_SECONDS) },
    },
  })
}

/**
 * Notes that records were lost to the stream's retention: the counts are complete no more, until they are rebuilt. Of a shard that is
 * finished nothing is noted: a rebuild has made up for its losses by then.
 *
 * @returns false when it was not noted: the shard is finished, or the lease was lost. Its owner must not count on then.
 */
export async function noteGap(table: FollowedTable, shardId: string, owner: string | undefined): Promise<boolean> {
  const note = {
    UpdateExpression: 'SET gap = :yes REMOVE madeUpFor ADD gaps :one',
    ConditionExpression: 'attribute_not_exists(finished)',
    ExpressionAttributeValues: { ':yes': { BOOL: true }, ':one': { N: '1' } },
  }
  const tell = async (): Promise<void> => {
    if (table.follower === undefined) await noteLoss(table, shardId, 'lost')
  }
  // Before the checkpoint says so, and after: what is told too early a repair takes back, which may end between the two.
  await tell()
  if (await updateIf(table, checkpointKey(shardId, table.follower), ifOwner(owner, note))) {
    await tell()
    return true
  }
  // Where the lease was lost, who has it now finds the loss, too.
  const { finished, gap } = await readCheckpoint(table, shardId)
  if (finished && !gap) await forgetLoss(table, shardId)
  return false
}

/** Notes that some copies of a store apart were made since it lost records, not when it lost more since. */
export async function noteMadeUpFor(
  table: FollowedTable,
  shardId: string,
  gaps: number,
  copies: readonly string[],
): Promise<void> {
  await updateIf(table, checkpointKey(shardId, table.follower), {
    UpdateExpression: 'ADD madeUpFor :copies',
    ConditionExpression: 'gaps = :gaps AND attribute_exists(gap)',
    ExpressionAttributeValues: { ':copies': { SS: [...copies] }, ':gaps': { N: String(gaps) } },
  })
}

/** Takes back what {@link noteGap} noted, once the counts are right again; not when records were lost since. */
export async function clearGap(table: FollowedTable, shardId: string, gaps: number, now: number): Promise<boolean> {
  const isCleared = await updateIf(table, checkpointKey(shardId, table.follower), {
    UpdateExpression: 'REMOVE gap, madeUpFor',
    ConditionExpression: gaps === 0 ? 'attribute_not_exists(gaps)' : 'gaps = :gaps',
    ExpressionAttributeValues: gaps === 0 ? undefined : { ':gaps': { N: String(gaps) } },
  })
  if (isCleared) await expireFinished(table, shardId, now)
  if (isCleared) await forgetLoss(table, shardId)
  return isCleared
}
