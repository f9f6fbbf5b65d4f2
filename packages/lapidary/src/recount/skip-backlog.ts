import { noteLoss } from '../derived/register/derived-register.ts'
import { checkpointKey, readCheckpoint } from '../stream/checkpoint.ts'
import { updateIf } from '../stream/lease.ts'
import type { TableClient } from '../table/table-client.ts'
import type { LogShard } from './log-shard.ts'

/** Changes that the projections count in about a second; fewer are not worth a gap. */
const LEAST_BACKLOG = 1_000

/**
 * Moves a checkpoint over what no process counts, as far as the log is read, and notes a gap: the rebuild that follows makes up for
 * it at once, where the projections would count it change by change. A rebuild that dies leaves the gap noted, and the next one
 * makes up for it. Nothing happens where another process has the lease, or moves the checkpoint meanwhile: it counts.
 *
 * @returns How many gaps are noted with this one; undefined where nothing was skipped.
 */
export async function skipBacklog(table: TableClient, shard: LogShard, now: number): Promise<number | undefined> {
  const { shardId, steps, position } = shard
  if (steps.length < LEAST_BACKLOG || position === undefined) return undefined
  const checkpoint = await readCheckpoint(table, shardId)
  // The log may begin before the checkpoint, and may not have come to it yet.
  if (steps.length - shard.countedAt(checkpoint) < LEAST_BACKLOG) return undefined
  const { sequenceNumber: from, owner, leasedUntil, gaps } = checkpoint
  // What is noted of a shard that another process counts no repair would take back.
  if (owner !== undefined && leasedUntil >= now) return undefined
  await noteLoss(table, shardId, 'lost')
  const unmoved = from === undefined ? 'attribute_not_exists(sequenceNumber)' : 'sequenceNumber = :from'
  const skipped = await updateIf(table, checkpointKey(shardId), {
    UpdateExpression: 'SET sequenceNumber = :to, gap = :yes ADD gaps :one',
    ConditionExpression: `${unmoved} AND attribute_not_exists(finished) AND (attribute_not_exists(#owner) OR leasedUntil < :now)`,
    ExpressionAttributeNames: { '#owner': 'owner' },
    ExpressionAttributeValues: {
      ...{ ':to': { S: position }, ':yes': { BOOL: true }, ':one': { N: '1' }, ':now': { N: String(now) } },
      ...(from === undefined ? {} : { ':from': { S: from } }),
    },
  })
  return skipped ? gaps + 1 : undefined
}
