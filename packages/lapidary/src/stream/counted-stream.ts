import { keyEntry } from '../derived/guarded-write.ts'
import { WHOLE } from '../model/reserved-keys.ts'
import { type Meaning, meaningOf } from '../table/error-meaning.ts'
import { readEntry } from '../table/read-entries.ts'
import { endShard, type FollowedTable, noteGap } from './checkpoint.ts'
import { updateIf } from './lease.ts'
import { Lineage } from './lineage.ts'
import { listShards, type Shard, streamArn } from './shards.ts'
import type { StreamsClient } from './streams-client.ts'

const STREAM_MARK = '/stream/'

/**
 * Notes which stream is counted, and a gap where it was another one before. What was written between two streams is in neither of them,
 * and the counts of a restored table are as old as its backup.
 *
 * @param shards All that are listed; nothing is noted before there are any.
 * @returns `another` where a gap was noted, `earlier` for a stream that was counted before the one that is: nothing of it is to be
 * counted any more, since what makes up for the gap makes up for it, too.
 */
export async function noteStream(
  table: FollowedTable,
  arn: string,
  shards: readonly Shard[],
): Promise<'counted' | 'another' | 'earlier'> {
  const key = countedKey(table)
  const counted = (await readEntry(table, keyEntry(key)))?.arn?.S
  if (counted !== undefined && isEarlier(arn, counted)) return 'earlier'
  if (shards.length === 0 || counted === arn) return 'counted'
  for (const { shardId } of counted === undefined ? [] : new Lineage(shards).roots)
    await noteGap(table, shardId, undefined)
  const before = counted === undefined ? undefined : { ':counted': { S: counted }, ':earlier': { SS: [counted] } }
  await updateIf(table, key, {
    UpdateExpression: before === undefined ? 'SET arn = :arn' : 'SET arn = :arn ADD earlier :earlier',
    ConditionExpression: before === undefined ? 'attribute_not_exists(arn)' : 'arn = :counted',
    ExpressionAttributeValues: { ':arn': { S: arn }, ...before },
  })
  return before === undefined ? 'counted' : 'another'
}

/** Whether a stream is the one that is counted. */
export async function isCounted(table: FollowedTable, arn: string): Promise<boolean> {
  return (await readEntry(table, keyEntry(countedKey(table))))?.arn?.S === arn
}

/**
 * Ends the counting of streams before the one of the table, which is noted as the one that is counted. They can be read for a day: what a
 * process counts of them after the items were counted would count twice.
 */
export async function retireEarlierStreams({ table, streams, clock }: Retiring): Promise<void> {
  const current = await streamArn(table)
  const listed = await listShards(streams, current)
  await noteStream(table, current, listed)
  const key = countedKey(table)
  const { arn, earlier } = (await readEntry(table, keyEntry(key))) ?? {}
  if (earlier === undefined) return
  // The embedded engine keeps a shard when its stream is switched off and on.
  const kept = new Set(listed.map(({ shardId }) => shardId))
  // A table that was restored has streams of its own.
  for (const each of (earlier.SS ?? []).filter((other) => isEarlier(other, arn?.S ?? ''))) {
    const shards = await listedOf(streams, each)
    for (const { shardId } of shards) if (!kept.has(shardId)) await endShard(table, shardId, clock())
  }
  await updateIf(table, key, {
    UpdateExpression: 'REMOVE earlier',
    ConditionExpression: 'earlier = :earlier',
    ExpressionAttributeValues: { ':earlier': earlier },
  })
}

interface Retiring {
  readonly table: FollowedTable
  readonly streams: StreamsClient
  readonly clock: () => number
}

const UNREADABLE: ReadonlySet<Meaning> = new Set(['absent', 'denied'])

/** Whether it is of a stream that is forgotten, or that a role may not read: to ask again mends neither. */
export function isUnreadable(error: unknown): boolean {
  return UNREADABLE.has(meaningOf(error))
}

/** None of a stream that can't be read. */
async function listedOf(streams: StreamsClient, arn: string): Promise<readonly Shard[]> {
  try {
    return await listShards(streams, arn)
  } catch (error) {
    if (isUnreadable(error)) return []
    throw error
  }
}

/** Streams of a table are named by when they began. */
function isEarlier(arn: string, counted: string): boolean {
  const [[table, began = ''], [other, otherBegan = '']] = [arn.split(STREAM_MARK), counted.split(STREAM_MARK)]
  return table === other && began < otherBegan
}

function countedKey({ follower }: FollowedTable): { readonly PK: string; readonly SK: string } {
  return { PK: '~COUNTED', SK: follower ?? WHOLE }
}
