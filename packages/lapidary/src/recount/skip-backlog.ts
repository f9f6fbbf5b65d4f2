import {
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { type Change, changeOf, isBeyond } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { noteLoss } from '../derived/register/derived-register.ts'
import { type Checkpoint, checkpointKey, readCheckpoint, readCheckpoints } from '../stream/checkpoint.ts'
import { type ConditionalUpdate, updateIf } from '../stream/lease.ts'
import { Lineage } from '../stream/lineage.ts'
import { readsOf } from '../stream/shard-reader.ts'
import { listShards, type Shard, streamArn } from '../stream/shards.ts'
import type { StreamsClient } from '../stream/streams-client.ts'
import { meaningOf } from '../table/error-meaning.ts'
import type { TableClient } from '../table/table-client.ts'
import type { Probes } from './probes.ts'

/** Changes that the projections count in about a second; fewer are not worth a gap. */
const LEAST_BACKLOG = 1_000
/** Probes for each open shard: that none comes into one of them is unlikely, and then it is counted change by change. */
const PROBES_A_SHARD = 16
const MOST_READS = 100
const READ_MS = 100
/** A process that counts moves a checkpoint a few times a second. */
const MOST_MOVES = 10
/** The looks of a log count up from 1. */
const LOOK = 0

/** Which backlogs are skipped. */
export interface Skipping {
  /** Whether shards that a process counts are skipped too: it goes on from where they are moved to. Else nothing is while a process counts. */
  readonly evenLeased: boolean
  /** Changes that are a long backlog; 1,000 when not given. */
  readonly least?: number
}

/** What a backlog is read by. */
export interface ReadBacklog {
  readonly table: TableClient
  readonly streams: StreamsClient
  /** Whether a change is of an item that is counted. */
  readonly isCounted: (change: Change) => boolean
  /** Changes that are a long backlog; 1,000 when not given. */
  readonly least?: number
}

/** The place behind every record of a shard. */
const LAST = '9'.repeat(40)

/** What is skipped, and how. */
export interface SkippedBacklog extends Skipping, ReadBacklog {
  /** Those in the table that are made from the items afterwards. */
  readonly copies: readonly Pick<CopyProjection, 'pass'>[]
  readonly probes: Probes
  readonly clock: () => number
}

/**
 * Moves checkpoints past a long backlog that no process has counted, without reading it, and notes gaps. To be called before a rebuild follows the
 * change stream, makes copies and reads the items: what it skips was written before, so the items say it. A rebuild that dies leaves the gaps noted, and the next one makes
 * up for them.
 *
 * A shard that others follow has no more changes, so it is ended. In an open one, a probe is written and looked for from the shard's latest record on: what
 * comes before the probe was written before it. A shard is left to be counted where one before it is, since the changes of an item come in their order.
 */
export async function skipBacklogs(skipped: SkippedBacklog): Promise<void> {
  const { clock, evenLeased } = skipped
  const { arn, lineage, checkpoints, open } = await uncounted(skipped)
  const isLeased = open.some(({ shardId }) => (checkpoints.get(shardId)?.leasedUntil ?? 0) >= clock())
  if ((isLeased && !evenLeased) || !(await isLong(skipped, arn, open, checkpoints))) return
  const last = open.filter(({ shardId }) => !lineage.isFollowed(shardId))
  const ends = await latestOf(skipped, arn, last)
  const left = new Set<string>()
  for (const { shardId, parentShardId = '' } of open) {
    const end = lineage.isFollowed(shardId) ? 'closed' : ends.get(shardId)
    const isSkipped = end !== undefined && !left.has(parentShardId) && (await skip(skipped, shardId, end))
    if (!isSkipped) left.add(shardId)
  }
}

/** Tells whether so many changes wait that they are skipped, where all that is derived is made anew. */
export async function hasLongBacklog(read: ReadBacklog): Promise<boolean> {
  const { arn, open, checkpoints } = await uncounted(read)
  return isLong(read, arn, open, checkpoints)
}

/** Shards that are not counted to their end, those first that others follow. */
async function uncounted({ table, streams }: ReadBacklog) {
  const arn = await streamArn(table)
  const lineage = new Lineage(await listShards(streams, arn))
  const checkpoints = await readCheckpoints(table, lineage.shards)
  const open = lineage.parentsFirst.filter(({ shardId }) => checkpoints.get(shardId)?.finished !== true)
  return { arn, lineage, checkpoints, open }
}

/** Whether so many changes wait that it is worth a gap. */
async function isLong(
  { streams, isCounted, least = LEAST_BACKLOG }: ReadBacklog,
  arn: string,
  shards: readonly Shard[],
  checkpoints: ReadonlyMap<string, Checkpoint>,
): Promise<boolean> {
  let found = 0
  for (const shard of shards) {
    const { sequenceNumber } = checkpoints.get(shard.shardId) ?? {}
    for await (const { changes } of readsOf({ streams, arn, shard }, sequenceNumber)) {
      found += changes.filter(isCounted).length
      if (found >= least) return true
    }
  }
  return false
}

/** Where shards end now, by the probes that are seen in them; nothing of one in which none is. */
async function latestOf(
  { table, streams, probes }: SkippedBacklog,
  StreamArn: string,
  shards: readonly Shard[],
): Promise<ReadonlyMap<string, string>> {
  const iterators = new Map<string, string>()
  for (const { shardId: ShardId } of shards) {
    const latest = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'LATEST' })
    const { ShardIterator } = await streams.send(latest)
    if (ShardIterator !== undefined) iterators.set(ShardId, ShardIterator)
  }
  await probes.write(LOOK, shards.length * PROBES_A_SHARD)
  const ends = new Map<string, string>()
  for (let reads = 0; iterators.size > 0 && reads < MOST_READS; reads++) {
    for (const [shardId, ShardIterator] of iterators) {
      const { Records = [], NextShardIterator } = await read(streams, ShardIterator)
      const changes = Records.flatMap((record) => changeOf(record) ?? [])
      const probe = changes.find((change) => probes.seen(change) === LOOK)
      if (probe !== undefined) ends.set(shardId, probe.sequenceNumber)
      if (probe !== undefined || NextShardIterator === undefined) iterators.delete(shardId)
      else iterators.set(shardId, NextShardIterator)
    }
    if (iterators.size > 0) await table.sleep(READ_MS)
  }
  return ends
}

/** Reads on; nothing more of an iterator that has expired while others were read. */
async function read(
  streams: StreamsClient,
  ShardIterator: string,
): Promise<Pick<GetRecordsCommandOutput, 'Records' | 'NextShardIterator'>> {
  try {
    return await streams.send(new GetRecordsCommand({ ShardIterator }))
  } catch (error) {
    if (meaningOf(error) === 'iterator expired') return {}
    throw error
  }
}

/** Whether nothing of a shard up to its end is left to count. */
async function skip(
  { table, clock, evenLeased, copies }: SkippedBacklog,
  shardId: string,
  end: string,
): Promise<boolean> {
  for (let tries = 0; tries < MOST_MOVES; tries++) {
    const { sequenceNumber: from, finished, owner, leasedUntil } = await readCheckpoint(table, shardId)
    if (finished || (end !== 'closed' && !isBeyond(end, from))) return true
    if (!evenLeased && owner !== undefined && leasedUntil >= clock()) return false
    // First, so that nothing is told of copies that lack what they pass over.
    await noteLoss(table, shardId, 'lost')
    for (const copy of copies) await copy.pass?.(shardId, end === 'closed' ? LAST : end)
    if (await updateIf(table, checkpointKey(shardId), moveFrom(from, end))) return true
  }
  return false
}

function moveFrom(from: string | undefined, end: string): ConditionalUpdate {
  const isClosed = end === 'closed'
  const unmoved = from === undefined ? 'attribute_not_exists(sequenceNumber)' : 'sequenceNumber = :from'
  return {
    UpdateExpression: isClosed
      ? 'SET finished = :yes, gap = :yes REMOVE #owner, leasedUntil, leaseMs ADD gaps :one'
      : 'SET sequenceNumber = :to, gap = :yes ADD gaps :one',
    ConditionExpression: `${unmoved} AND attribute_not_exists(finished)`,
    ...(isClosed ? { ExpressionAttributeNames: { '#owner': 'owner' } } : {}),
    ExpressionAttributeValues: {
      ...{ ':yes': { BOOL: true }, ':one': { N: '1' } },
      ...(isClosed ? {} : { ':to': { S: end } }),
      ...(from === undefined ? {} : { ':from': { S: from } }),
    },
  }
}
